#!/bin/sh
# A tour of /api/v2 with curl. Every step prints its request and the answer.
set -eu
shelf=${SHELF_URL:-http://127.0.0.1:8000}

step() {
  printf '\n# %s\n' "$1"
  shift
  curl --silent --show-error --globoff --header "Authorization: Bearer ${SHELF_KEY:-}" "$@"
  printf '\n'
}

step 'Add a book. The answer has its id and its version.' \
  "$shelf/api/v2/books" -d '{"title":"Ficciones","price":"12.3","copies":9007199254740993}'

step 'Add another one, and send it again as if the answer was lost: there is one record.' \
  "$shelf/api/v2/books" -H 'Idempotency-Key: tour-1' -d '{"title":"El Aleph","price":"7"}'
step 'The same again.' \
  "$shelf/api/v2/books" -H 'Idempotency-Key: tour-1' -d '{"title":"El Aleph","price":"7"}'

id=$(curl --silent --globoff --header "Authorization: Bearer ${SHELF_KEY:-}" \
  "$shelf/api/v2/books?title=Ficciones&sort=-id&limit=1&fields=id" | sed 's/.*"id":\([0-9]*\).*/\1/')

step 'Change it, only if it still has version 1.' \
  -X PATCH "$shelf/api/v2/books/$id" -H 'If-Match: "1"' -H 'Content-Type: application/json' -d '{"price":"9.99"}'
step 'A client that still has version 1 gets 412.' \
  -X PATCH "$shelf/api/v2/books/$id" -H 'If-Match: "1"' -H 'Content-Type: application/json' -d '{"price":"1"}'
step 'Every problem of a body is reported at once.' \
  "$shelf/api/v2/books" -d '{"title":"","price":"free","colour":"red"}'
step 'Find books below 10, the most expensive first.' \
  "$shelf/api/v2/books?price[lt]=10&sort=-price&fields=title,price&limit=5&count=exact"
step 'The last changes.' "$shelf/api/v2/changes?after=0&limit=2&collection=books"
step 'All of it as CSV.' "$shelf/api/v2/books/export?fields=title,price"
