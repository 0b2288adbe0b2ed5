import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { validator } from 'hono/validator';
import { items, port, users } from './items.mjs';

const app = new Hono();

app.get('/api/items', (c) => c.json(items));

app.get('/api/items/:item_id', (c) => {
  const id = Number(c.req.param('item_id'));
  if (!Number.isInteger(id)) return c.json({ detail: 'not an integer' }, 400);
  const found = items.find((item) => item.id === id);
  return found ? c.json(found) : c.json({ detail: 'Not found' }, 404);
});

app.post(
  '/api/items',
  validator('json', ({ id, name, price }, c) =>
    Number.isInteger(id) && typeof name === 'string' && typeof price === 'number'
      ? { id, name, price }
      : c.json({ detail: 'not an item' }, 400),
  ),
  (c) => {
    const item = c.req.valid('json');
    items.push(item);
    return c.json(item, 201);
  },
);

app.post(
  '/api/users',
  validator('json', ({ id, name }, c) =>
    Number.isInteger(id) && typeof name === 'string' ? { id, name } : c.json({ detail: 'not a user' }, 400),
  ),
  (c) => {
    const user = c.req.valid('json');
    users.push(user);
    return c.json(user, 201);
  },
);

serve({ fetch: app.fetch, port, hostname: '127.0.0.1' });
