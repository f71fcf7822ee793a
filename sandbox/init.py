"""Process 1 of the container, which lasts until Docker ends it, whatever the agent's code does."""

import ctypes
import os
import signal
import time

# The kernel keeps signals without a handler from process 1. Python has a handler for this one.
signal.signal(signal.SIGINT, signal.SIG_DFL)

# The agent's code runs as the same user. A process that is not dumpable can be neither traced nor written to.
PR_SET_DUMPABLE = 4
ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)

# The home folder is empty, in memory. The template has Matplotlib's list of fonts. In Kubernetes the folder belongs to
# root, so only its contents are copied, not its permissions.
os.system("cp -r /opt/sandbox/home/. /home/agent")

while True:
    try:
        os.wait()  # ended processes whose parents have ended
    except ChildProcessError:
        time.sleep(1)
