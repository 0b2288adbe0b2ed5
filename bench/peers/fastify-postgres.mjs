import fastifyPostgres from '@fastify/postgres';
import Fastify from 'fastify';

const item = {
  type: 'object',
  properties: { id: { type: 'integer' }, name: { type: 'string' }, price: { type: 'number' } },
  required: ['id', 'name', 'price'],
};
const app = Fastify();
app.register(fastifyPostgres, { connectionString: process.env.DATABASE_URL });

app.get(
  '/api/items/:item_id',
  { schema: { params: { type: 'object', properties: { item_id: { type: 'integer' } } }, response: { 200: item } } },
  async (request, reply) => {
    const { rows } = await app.pg.query('select id, name, price from items where id = $1 order by seq limit 1', [
      request.params.item_id,
    ]);
    return rows[0] ?? reply.code(404).send({ detail: 'Not found' });
  },
);

app.post('/api/items', { schema: { body: item, response: { 201: item } } }, async (request, reply) => {
  const { id, name, price } = request.body;
  await app.pg.query(
    'insert into items (id, name, price, version, created_at, updated_at) values ($1, $2, $3, 1, now(), now())',
    [id, name, price],
  );
  reply.code(201);
  return request.body;
});

app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
