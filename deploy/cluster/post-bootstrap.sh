#!/bin/sh
# Patroni calls this once, with the URL of the new database cluster.
set -e
psql "$1" --set ON_ERROR_STOP=1 \
  --command "create role shelf_owner login password '$SHELF_OWNER_PASSWORD'" \
  --command "create database shelf owner shelf_owner"
psql "$1" --dbname shelf --set ON_ERROR_STOP=1 --file /etc/patroni/roles.sql
