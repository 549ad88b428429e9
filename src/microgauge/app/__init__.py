"""`microgauge app`: the commands as pages of a browser, on this machine only.

server     where it listens, how it starts and ends
guard      who is answered: host, token, cookie, origin, headers
folder     files inside the chosen folder, uploads
project    what the user said, in one small file that is replaced whole
jobs       commands as processes of their own, one at a time, kept as runs
saying     what commands say in a shell's words, in the words of the pages
asking     the command lines of everything that is done
pages/     a file for each step
"""
