"""Attacks of a hostile agent on its own sandbox: the cells of each attack run in the task's container."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Script:
    """The cells of an agent, their time limit, and what the last output must contain."""

    cells: list[str]
    seconds: int = 10
    output: str = ""


def _forge(reply: str) -> str:
    """Overwrite every program of the session with one that prints this expression."""
    program = f"print({reply})"
    return f"""
import glob, py_compile
_ = open('forged.py', 'w').write({program!r})
for path in glob.glob('/tmp/discoverybench-*/*.pyc'): _ = py_compile.compile('forged.py', path)
"""


def _daemon(loop: str) -> str:
    """Start a process that outlives the kernel and runs `loop` every 5 ms. A client takes longer to start."""
    program = "import glob, os, signal, time\nwhile True:\n" + "".join(
        f"    {line}\n" for line in [*loop.splitlines(), "time.sleep(0.005)"]
    )
    return (
        "import os, subprocess, sys\n"
        f"_ = subprocess.Popen([sys.executable, '-c', {program!r}], start_new_session=True,"
        " stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n"
        "import time; time.sleep(0.5)"  # until the process has started
    )


def _signal_clients(number: str) -> str:
    """Send this signal to all clients, but not to the programs `timeout` with which Inspect runs them."""
    return f"""\
for process in os.listdir('/proc'):
    try:
        if process.isdigit() and int(process) != os.getpid():
            command = open(f'/proc/{{process}}/cmdline').read()
            if 'client.pyc' in command and 'timeout' not in command:
                os.kill(int(process), signal.{number})
    except OSError:
        pass"""


_REPLY = '\'{"status": "ok", "output": "%s", "restarted": false}\''
_USER_SITE = "import os, site, sys\nfolder = site.getusersitepackages()\nos.makedirs(folder, exist_ok=True)\n"
# 16 is PTRACE_ATTACH. `sandbox/init.py` makes process 1 not dumpable, so Linux refuses both accesses.
_PTRACE = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
print('attached:', libc.ptrace(16, 1, 0, 0))
try:
    open('/proc/1/mem', 'r+b').close()
    print('memory: open')
except OSError as error:
    print('memory:', error)
"""
# 60 times 100 MiB are more than the memory of the container, which is 4 GB (compose.yaml).
_BOMB = """
import gzip
block = gzip.compress(bytes(100 << 20))
whole = gzip.decompress(60 * block)
"""
# It tries to write 3000 MiB to one folder. All folders together hold 2 GB (compose.yaml).
FILL = """
block = bytes(1 << 20)
written = 0
try:
    for n in range(3):
        with open(f'{FOLDER}/fill-{n}', 'wb', buffering=0) as file:
            for _ in range(1000):
                written += file.write(block)
finally:
    print('bounded' if written < 2100 << 20 else 'unbounded', written >> 20)
"""
# It tries to make a million files. The working folder holds 100k, which are 102,400 (compose.yaml).
_MANY = """
import os
made = 0
os.makedirs('many')
try:
    for made in range(1_000_000):
        os.close(os.open(f'many/{made}', os.O_CREAT | os.O_WRONLY))
finally:
    print('bounded' if made < 110_000 else 'unbounded', made)
"""

# Expected outputs, such as `kernel started`, are joined from two parts. So they occur only in an output, and not in a
# traceback, which shows the code.
ATTACKS = {
    "lone surrogate": Script([_forge(_REPLY % r"\\ud800 \\u001b[2Jgone"), "1"]),
    "endless reply": Script([_forge("'x' * 20_000_000"), "1"]),
    "wrong types": Script([_forge('\'{"status": "ok", "output": "1", "restarted": "no", "more": 1}\''), "1"]),
    "usercustomize": Script(
        [
            f"{_USER_SITE}open(folder + '/usercustomize.py', 'w').write('import os; os._exit(0)')",
            "import os; os._exit(1)",
            "'kernel ' + 'started'",
        ],
        output="kernel started",
    ),
    "clients killed": Script([_daemon(_signal_clients("SIGKILL")), "1", "2"]),
    "clients stopped": Script([_daemon(_signal_clients("SIGSTOP"))], seconds=1),
    "files rewritten": Script(
        [
            _daemon("for path in glob.glob('/tmp/discoverybench-*/*.pyc'): open(path, 'w').write('nonsense')"),
            "import os; os._exit(1)",
            "2",
        ]
    ),
    "kill everything": Script(
        ["import os, signal; os.kill(-1, signal.SIGKILL); os._exit(1)", "'still ' + 'here'"], output="still here"
    ),
    # A container with Docker's own process 1 (`init: true`) ends with the child of process 1. This is usually
    # process 7, and often `sleep`.
    "process 1 ended": Script(
        ["import os; os.kill(1, 15); os.kill(1, 9)\nos.system('pkill sleep; kill -9 7')", "'still ' + 'here'"],
        output="still here",
    ),
    "process 1 traced": Script([_PTRACE], output="attached: -1\nmemory: [Errno 13]"),
    "fork bomb": Script(["import os\nwhile True: os.fork()", "1"], seconds=1),
    "million files": Script(
        [_MANY, "import shutil; shutil.rmtree('many'); 'space ' + 'again'"], seconds=60, output="space again"
    ),
    "full disk": Script(
        [f"FOLDER = '.'{FILL}", "import os; os.remove('fill-0'); 'space ' + 'again'"], seconds=60, output="space again"
    ),
    "full temporary folder": Script([f"FOLDER = '/tmp'{FILL}", "'still ' + 'here'"], seconds=60, output="still here"),
    "decompression bomb": Script([_BOMB, "'still ' + 'here'"], seconds=10, output="still here"),
}
"""Attacks by name."""
