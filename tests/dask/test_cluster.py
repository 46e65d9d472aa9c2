import os

import psutil


def test_a_cluster_of_ours_listens_on_the_loopback_alone(client):
    ours = psutil.Process(os.getpid())
    listening = {
        socket.laddr.ip
        for process in [ours, *ours.children(recursive=True)]
        for socket in process.net_connections(kind="inet")
        if socket.status == psutil.CONN_LISTEN
    }
    assert listening == {"127.0.0.1"}
