"""Reading a release: one function, one question. SQL of the serving side stands here and nowhere else.

Does not belong here: which release is read (`reader`), how the file is written (`serving`), HTTP (`api`).
"""
