import Fastify from 'fastify';
import { items, port, users } from './items.mjs';

const item = {
  type: 'object',
  properties: { id: { type: 'integer' }, name: { type: 'string' }, price: { type: 'number' } },
  required: ['id', 'name', 'price'],
};
const app = Fastify();

app.get('/api/items', { schema: { response: { 200: { type: 'array', items: item } } } }, async () => items);

app.get(
  '/api/items/:item_id',
  { schema: { params: { type: 'object', properties: { item_id: { type: 'integer' } } }, response: { 200: item } } },
  async (request, reply) => {
    const found = items.find(({ id }) => id === request.params.item_id);
    return found ?? reply.code(404).send({ detail: 'Not found' });
  },
);

app.post('/api/items', { schema: { body: item, response: { 201: item } } }, async (request, reply) => {
  items.push(request.body);
  reply.code(201);
  return request.body;
});

const user = {
  type: 'object',
  properties: { id: { type: 'integer' }, name: { type: 'string' } },
  required: ['id', 'name'],
};

app.post('/api/users', { schema: { body: user, response: { 201: user } } }, async (request, reply) => {
  users.push(request.body);
  reply.code(201);
  return request.body;
});

app.listen({ port, host: '127.0.0.1' });
