"""Small tables of remarks in up to three scripts, whose class follows from their words."""

import numpy as np
import pandas as pd

_TOPICS = (
    ("invoice payment refund bill charged", "فاتورة دفع استرداد رصيد", "发票 付款 退款"),
    ("printer paper toner jam ink", "طابعة ورق حبر عطل", "打印机 墨水 卡纸"),
    ("password login account locked access", "كلمة دخول حساب مقفل", "密码 登录 账号"),
)
_OTHERS = (
    "please help with my thing again today since yesterday office still",
    "الرجاء المساعدة منذ أمس اليوم شكرا المكتب",
    "请 尽快 谢谢 昨天 办公室",
)


def remarks(n=240, seed=0, scripts=1):
    """A column of text (n,) and its classes, in turn."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % 3
    written = np.arange(n) // 3 % scripts
    cells = [
        _remark(rng, _TOPICS[k][i].split(), _OTHERS[i].split()) for k, i in zip(truth, written, strict=True)
    ]
    return pd.DataFrame({"remark": cells}), truth


def _remark(rng, topic, others):
    words = [*rng.choice(topic, 2), *rng.choice(others, 5), str(rng.integers(100, 999))]
    return " ".join(rng.permutation(words))


def beside(X, truth, seed=0):
    """The same with a number that tells a little, and a category and a date that tell nothing."""
    rng = np.random.default_rng(seed)
    n = len(X)
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 500, n), unit="D")
    return X.assign(
        size=np.where(rng.random(n) < 0.1, np.nan, truth + 0.5 * rng.normal(size=n)),
        colour=rng.choice(["red", "green", "blue"], n),
        opened=days,
    )


def few(truth, n=36, missing=-1):
    """Labels of the first n rows alone."""
    return np.where(np.arange(len(truth)) < n, truth, missing)
