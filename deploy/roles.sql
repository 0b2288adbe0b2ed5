-- The role that serves: it reads and writes rows, and changes no table.
create role shelf_app login password 'app-password';
alter default privileges for role shelf_owner in schema public grant select, insert, update, delete on tables to shelf_app;
