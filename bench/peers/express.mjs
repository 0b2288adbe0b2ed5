import express from 'express';
import { items, port, users } from './items.mjs';

const app = express();
app.use(express.json());

app.get('/api/items', (_, response) => response.json(items));

app.get('/api/items/:item_id', (request, response) => {
  const id = Number(request.params.item_id);
  if (!Number.isInteger(id)) return response.status(400).json({ detail: 'not an integer' });
  const found = items.find((item) => item.id === id);
  return found ? response.json(found) : response.status(404).json({ detail: 'Not found' });
});

app.post('/api/items', (request, response) => {
  const { id, name, price } = request.body ?? {};
  if (!Number.isInteger(id) || typeof name !== 'string' || typeof price !== 'number') {
    return response.status(400).json({ detail: 'not an item' });
  }
  items.push({ id, name, price });
  return response.status(201).json({ id, name, price });
});

app.post('/api/users', (request, response) => {
  const { id, name } = request.body ?? {};
  if (!Number.isInteger(id) || typeof name !== 'string') return response.status(400).json({ detail: 'not a user' });
  users.push({ id, name });
  return response.status(201).json({ id, name });
});

app.listen(port, '127.0.0.1');
