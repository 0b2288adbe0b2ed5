import { Elysia, status, t } from 'elysia';
import { items, port, users } from './items.mjs';

const item = t.Object({ id: t.Integer(), name: t.String(), price: t.Number() });

new Elysia()
  .get('/api/items', () => items)
  .get(
    '/api/items/:item_id',
    ({ params: { item_id } }) => items.find(({ id }) => id === item_id) ?? status(404, { detail: 'Not found' }),
    { params: t.Object({ item_id: t.Integer() }) },
  )
  .post(
    '/api/items',
    ({ body }) => {
      items.push(body);
      return status(201, body);
    },
    { body: item },
  )
  .post(
    '/api/users',
    ({ body }) => {
      users.push(body);
      return status(201, body);
    },
    { body: t.Object({ id: t.Integer(), name: t.String() }) },
  )
  .listen({ port, hostname: '127.0.0.1' });
