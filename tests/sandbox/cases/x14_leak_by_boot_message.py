# name: x14_leak_by_boot_message
# class: secret
# entry: solve
# expect-score: 0.0
# expect-verdict: boot_error|protocol_error
# max-wall: 8
# why: reads the channel while being imported and raises what it found
import os
found = b''
for fd in range(3, 16):
    try:
        os.set_blocking(fd, False); found += os.read(fd, 1 << 16)
    except OSError: pass
raise type('B_' + found.hex()[:50], (Exception,), {})(found)
