/** A table that follows the changes of a collection. */
import { createClient, ShelfError } from './client.js';

const options = new URLSearchParams(location.search);
const shelf = createClient({
  url: options.get('shelf') ?? 'http://127.0.0.1:8000',
  key: sessionStorage.getItem('shelf-key') ?? undefined,
});

const body = document.querySelector('tbody');
const message = document.querySelector('#message');
/** The records that are shown, by their ids. */
const shown = new Map();

function cell(text, className = '') {
  const element = document.createElement('td');
  // Never as HTML: a title can be any text.
  element.textContent = text;
  element.className = className;
  return element;
}

function button(label, act) {
  const element = document.createElement('button');
  element.type = 'button';
  element.textContent = label;
  element.addEventListener('click', () => attempt(act));
  return element;
}

function rowOf(book) {
  const row = document.createElement('tr');
  row.dataset.id = book.id;
  const actions = document.createElement('td');
  // The client sends the version of the record: a copy that another client sold meanwhile is not sold twice.
  actions.append(
    button('Sell', () => shelf.books.update(book, { copies: book.copies - 1n })),
    button('Delete', () => shelf.books.delete(book)),
  );
  row.append(
    cell(book.id, 'number'),
    cell(book.title),
    cell(book.price, 'number'),
    cell(String(book.copies), 'number'),
    actions,
  );
  return row;
}

function show(book, isChange) {
  const row = rowOf(book);
  const before = shown.get(book.id);
  if (before === undefined) body.prepend(row);
  else before.replaceWith(row);
  shown.set(book.id, row);
  row.classList.toggle('changed', isChange);
}

function remove({ id }) {
  shown.get(id)?.remove();
  shown.delete(id);
}

/** Shows what went wrong. */
async function attempt(act) {
  message.textContent = '';
  try {
    await act();
  } catch (error) {
    if (!(error instanceof ShelfError)) throw error;
    const changed = 'Another client has just changed this book: look again, and repeat it.';
    message.textContent = error.code === 'precondition_failed' ? changed : error.message;
  }
}

document.querySelector('#add').addEventListener('submit', (event) => {
  event.preventDefault();
  const form = event.target;
  attempt(async () => {
    await shelf.books.create({ title: form.elements.title.value, price: form.elements.price.value });
    form.reset();
  });
});

await attempt(async () => {
  for await (const change of shelf.books.changes()) {
    if (change.type === 'resync') {
      const { data } = await shelf.books.list({ sort: ['-id'], limit: 100 });
      body.replaceChildren();
      shown.clear();
      for (const book of data.reverse()) show(book, false);
    } else if (change.type === 'book.deleted') remove(change.record);
    else show(change.record, true);
  }
});
