"""Generated bibliographies: the laws of real ones, at any size, with the truth.

`laws.py` states the laws and their values; a field of research grows in `teams.py`, its persons are named in
`names.py`, its papers in `subjects.py`, and `noise.py` is how sources write names. `text.py` turns the
numbers into columns, `build.py` goes from field to field, `write.py` streams them to files.
"""

from samehand.evaluate.synthetic.laws import PROFILES, Profile
from samehand.evaluate.synthetic.write import Generated, generate

__all__ = ["PROFILES", "Generated", "Profile", "generate"]
