/** A library without a backend: the page talks to Shelf with the token or key of its user, and offers what /api/v2/me allows. */
import { returned, signIn, signOut } from './sign-in.js';

const find = (selector) => document.querySelector(selector);
const settings = await (await fetch('settings.json')).json();
/** The token of a person, or an API key, in the memory of the page only. */
let key = '';
let idToken;
let rights = [];

async function send(method, path, body) {
  const answer = await fetch(`${settings.shelf}/api/v2/${path}`, {
    method,
    headers: {
      ...(key === '' ? {} : { Authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const value = text === '' ? undefined : JSON.parse(text);
  if (!answer.ok) throw new Error(value.detail);
  return value;
}

const may = (operation, collection) =>
  rights.some((right) => right.collection === collection && right.operation === operation);
const columns = (collection) =>
  (rights.find((right) => right.collection === collection && right.operation === 'read')?.fields ?? []).filter(
    (field) => !['version', 'created_at', 'updated_at'].includes(field),
  );

/** A refusal is a message. */
async function attempt(step) {
  find('#message').textContent = '';
  try {
    await step();
  } catch (error) {
    find('#message').textContent = error.message;
  }
}

/** Does something, then shows what there is. */
const act = (change) =>
  attempt(async () => {
    await change();
    await show();
  });

async function show() {
  const me = await send('GET', 'me');
  rights = me.rights ?? [];
  find('#who').textContent = me.name === null ? `You are a ${me.role}.` : `${me.name}, ${me.role}`;
  find('#sign-in').hidden = settings.issuer === undefined || key !== '';
  find('#sign-out').hidden = idToken === undefined;
  find('#key').hidden = settings.issuer !== undefined;
  find('#add').hidden = !may('create', 'books');
  find('#own').hidden = !may('read', 'loans');
  await fill('books', (book) => (may('create', 'loans') ? [['Borrow', () => borrow(book)]] : []));
  if (may('read', 'loans'))
    await fill('loans', (loan) =>
      may('update', 'loans') && loan.returned_on === null ? [['Return', () => giveBack(loan)]] : [],
    );
}

async function fill(collection, buttonsOf) {
  const { data } = await send('GET', `${collection}?limit=100`);
  const shown = columns(collection);
  find(`#${collection} thead`).replaceChildren(row(shown.map((name) => cell('th', name))));
  find(`#${collection} tbody`).replaceChildren(
    ...data.map((record) => {
      const buttons = buttonsOf(record).map(([text, onPress]) => {
        const button = Object.assign(document.createElement('button'), { type: 'button', textContent: text });
        button.addEventListener('click', () => act(onPress));
        return button;
      });
      const last = cell('td', '');
      last.append(...buttons);
      return row([...shown.map((name) => cell('td', record[name] ?? '')), last]);
    }),
  );
}

function row(cells) {
  const line = document.createElement('tr');
  line.append(...cells);
  return line;
}

function cell(kind, text) {
  return Object.assign(document.createElement(kind), { textContent: text });
}

const day = (later) => new Date(Date.now() + later * 86_400_000).toISOString().slice(0, 10);

/** A librarian lends to any member, a member borrows: the server knows which one. */
function borrow(book) {
  const sendable = rights.find((right) => right.collection === 'loans' && right.operation === 'create').fields;
  const member = sendable.includes('member') ? { member: Number(prompt('The number of the member')) } : {};
  return send('POST', 'loans', { book: book.id, due_on: day(28), ...member });
}

function giveBack(loan) {
  return send('PATCH', `loans/${loan.id}`, { returned_on: day(0) });
}

find('#sign-in').addEventListener('click', () => attempt(() => signIn(settings)));
find('#sign-out').addEventListener('click', () => attempt(() => signOut(settings, idToken)));
find('#key').addEventListener('submit', (event) => {
  event.preventDefault();
  key = event.target.elements.key.value.trim();
  act(() => {});
});
find('#add').addEventListener('submit', (event) => {
  event.preventDefault();
  const { title, cost } = event.target.elements;
  act(() => send('POST', 'books', { title: title.value, cost: cost.value, state: 'available' }));
});
attempt(async () => {
  try {
    const tokens = settings.issuer === undefined ? undefined : await returned(settings);
    key = tokens?.token ?? '';
    idToken = tokens?.idToken;
  } finally {
    await show();
  }
});
