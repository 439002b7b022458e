import sqlite3

database = sqlite3.connect("history.db")
database.execute("CREATE TABLE urls (id INTEGER PRIMARY KEY, url TEXT)")
database.commit()
