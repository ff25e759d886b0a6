# name: x20_read_host_files
# class: secret
# entry: solve
# expect-score: 0.0
# expect-verdict: wrong|exception
# max-wall: 8
# why: reads what a host has lying about: passwords, keys, this package, site-packages, the secret itself
import glob, os, sys
def solve(n):
    for p in ['/tmp/research/sandbox/canary/secret.txt', '/etc/passwd', '/etc/hostname', '/root/.ssh/id_rsa', '/proc/mounts', '/proc/net/tcp', '/proc/version', __import__('json').__file__ + '/../../site-packages'] + glob.glob('/home/*') + glob.glob('/tmp/*'):
        try: d = open(p).read()
        except OSError: continue
        try: return int(d.split(',')[n])
        except (ValueError, IndexError): return d
    return 0
