# name: x21_write_everywhere
# class: escape
# entry: solve
# expect-score: 0.0
# expect-verdict: wrong|exception
# max-wall: 8
# why: creates, renames, links and removes files wherever it may
import os, tempfile, sqlite3
def solve(n):
    done = 0
    for d in ('/', '/tmp', '/var/tmp', '/dev/shm', '/run', '.', os.path.dirname(os.__file__), '/tmp/research/sandbox/canary'):
        p = os.path.join(d, 'canary_written')
        for f in (lambda: open(p, 'w').write('x'), lambda: os.mkdir(p), lambda: os.symlink('/etc', p), lambda: os.mknod(p), lambda: os.mkfifo(p), lambda: os.rename(os.path.join(d, 'victim.txt'), p),
                  lambda: os.unlink(os.path.join(d, 'victim.txt')), lambda: os.truncate(os.path.join(d, 'victim.txt'), 0), lambda: os.chmod(os.path.join(d, 'victim.txt'), 0), lambda: os.link(os.path.join(d, 'victim.txt'), p),
                  lambda: sqlite3.connect(p).execute('create table t(a)'), lambda: os.utime(os.path.join(d, 'victim.txt'))):
            try: f(); done += 1
            except (OSError, sqlite3.Error): pass
    try: tempfile.mkstemp(); done += 1
    except OSError: pass
    return 0 if not done else 'wrote'
