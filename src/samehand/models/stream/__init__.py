"""Records that arrive one by one: whose are they, a known person's or a new one's, and when is it worth asking?

The published model (Zhang, Dundar and others 2017, active online name disambiguation) is in mixture.py and what it
imports: latent coordinates (factors.py), Student-t classes (student.py), particles (particles.py, filter.py). Its
competitors are in rivals/. The model to use is evidence, in persons.py and evidence.py.
"""
