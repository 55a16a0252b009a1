-- What the front that handed a message out notes of it, such as how often a job was released; it alone reads it.
ALTER TABLE reference ADD COLUMN remarks BLOB;
