"""
Tickets: free text beside other columns
=======================================

Messages to a help desk, most of them not yet sorted. Free text is told from categories and dates by its cells, and learnt from.
"""

# %%
# Tickets
# -------
# Two hundred short messages in three sorts, with a date and a building. One in five has its team.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from surelabel import csa

rng = np.random.default_rng(0)
said = {
    "hardware": [
        "screen stays black",
        "printer prints no page",
        "keyboard has broken keys",
        "laptop gets hot",
    ],
    "billing": [
        "invoice is too high",
        "please send the bill again",
        "I paid twice",
        "wrong price on the bill",
    ],
    "account": ["password was forgotten", "cannot log in", "my account is locked", "new user needs access"],
}
begins = [
    "Hello,",
    "Please help:",
    "Urgent!",
    "Once more:",
    "Since Monday:",
    "Dear all,",
    "Sorry, but",
    "Hi, it seems that",
]
ends = ["", "Thanks.", "It is urgent.", "Can you help?", "This happens each week.", "I have waited long."]
rows = [
    (f"{rng.choice(begins)} {rng.choice(said[team])}. {rng.choice(ends)}".strip(), team)
    for team in rng.choice(list(said), 200)
]
tickets = pd.DataFrame(rows, columns=["message", "team"])
tickets["opened"] = pd.date_range("2024-01-01 08:00", periods=200, freq="7h").strftime("%d.%m.%Y %H:%M")
tickets["building"] = rng.choice(["north", "south", "east"], 200)
truth = tickets.pop("team")
team = truth.where(tickets.index % 5 == 0)
tickets.head(3)

# %%
# Fit
# ---
# Nothing has to be said about the columns. What each is taken for, and why, can be read afterwards.

clf = csa(n_rounds=2, random_state=0).fit(tickets, team)
pd.DataFrame({"taken for": clf.columns_.kinds_, "why": clf.columns_.why_})

# %%
# What is filled in
# -----------------

filling = clf.fill(right=0.9)
print(filling)

filled = filling.labels.notna()
right = filling.labels == truth.loc[filled.index]

fig, ax = plt.subplots(figsize=(7, 2.8))
for place, name in enumerate(said):
    mine = truth.loc[filled.index] == name
    counts = [(mine & filled & right).sum(), (mine & filled & ~right).sum(), (mine & ~filled).sum()]
    left = 0
    for n, colour in zip(counts, ["#3b82c4", "#d9534f", "#c9ced6"], strict=True):
        ax.barh(place, n, left=left, color=colour)
        left += n
ax.set_yticks(range(3), said)
ax.set(xlabel="tickets", title="blue: filled in and right; red: filled in and wrong; grey: left open")
fig.tight_layout()

# %%
# A new ticket
# ------------

new = pd.DataFrame(
    {"message": ["the printer, again!"], "opened": ["24.12.2024 09:30"], "building": ["south"]}
)
dict(zip(clf.classes_, clf.predict_proba(new)[0].round(2), strict=True))

# %%
# What to do next
# ---------------
# - ``surelabel.report(clf, "tickets.html", X=tickets)`` shows the words that speak for each class.
# - Where a column is taken for the wrong thing, ``csa(columns=Columns(text=["code"]))`` overrules it.
# - The guide on text, dates and columns of many levels tells how text is read.
