/** GET /metrics, for Prometheus. */
import type { Metrics } from '../observe/metrics.ts';
import type { Route } from '../route/route.ts';

export function metricsRoute(metrics: Metrics): Route {
  return {
    method: 'GET',
    sight: 'scope only',
    path: '/metrics',
    access: 'admin',
    handle: async () => {
      const text = await metrics.text();
      const headers = { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8', 'Cache-Control': 'no-store' };
      return { status: 200, headers, body: text, size: Buffer.byteLength(text) };
    },
  };
}
