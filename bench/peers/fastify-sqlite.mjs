/** Fastify with node:sqlite: one prepared statement for each kind of read. */
import { DatabaseSync } from 'node:sqlite';
import Fastify from 'fastify';

const db = new DatabaseSync(process.env.DATABASE);
const columns = 'id, external_id, name, price, version, created_at, updated_at';
const byId = db.prepare(`select ${columns} from things order by id limit ?`);
const byPrice = db.prepare(`select ${columns} from things order by price, id limit ?`);
const byExternalId = db.prepare(`select ${columns} from things where external_id = ? order by id limit ?`);
const one = db.prepare(`select ${columns} from things where id = ?`);

const thing = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    external_id: { type: 'integer' },
    name: { type: 'string' },
    price: { type: 'number' },
    version: { type: 'integer' },
    created_at: { type: 'string' },
    updated_at: { type: 'string' },
  },
};
const page = {
  type: 'object',
  properties: { data: { type: 'array', items: thing }, next_cursor: { type: ['string', 'null'] } },
};
const query = {
  type: 'object',
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: 1000, default: 30 },
    sort: { type: 'string', enum: ['id', 'price'] },
    external_id: { type: 'integer' },
  },
};
const app = Fastify();

app.get('/things', { schema: { querystring: query, response: { 200: page } } }, async (request) => {
  const { limit, sort, external_id } = request.query;
  const found =
    external_id !== undefined
      ? byExternalId.all(external_id, limit + 1)
      : (sort === 'price' ? byPrice : byId).all(limit + 1);
  const data = found.length > limit ? found.slice(0, limit) : found;
  return { data, next_cursor: found.length > limit ? String(data[data.length - 1].id) : null };
});

app.get(
  '/things/:id',
  { schema: { params: { type: 'object', properties: { id: { type: 'integer' } } }, response: { 200: thing } } },
  async (request, reply) => one.get(request.params.id) ?? reply.code(404).send({ detail: 'Not found' }),
);

app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
