/** The two documentation pages. All their assets are served from here, so that they work offline. */
import redocScript from 'redoc/bundles/redoc.standalone.js' with { type: 'file' };
import swaggerStyle from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' };
import swaggerScript from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' };
import { openRoute, type Route } from '../route/route.ts';
import { assetRoute } from './asset.ts';
import { page } from './page.ts';
import redocPageStyle from './redoc-page.css' with { type: 'file' };
import redocPageScript from './redoc-page.js' with { type: 'file' };
import pageStyle from './swagger-page.css' with { type: 'file' };
import pageScript from './swagger-page.js' with { type: 'file' };

export function docsRoutes(): Route[] {
  return [
    openRoute('/docs', () =>
      page(
        'Shelf: API documentation',
        '<link rel="stylesheet" href="/theme.css">\n<link rel="stylesheet" href="/docs/swagger-ui.css">\n<link rel="stylesheet" href="/docs/start.css">',
        '<div id="swagger-ui"></div>\n<script src="/docs/swagger-ui-bundle.js"></script>\n<script src="/docs/start.js"></script>',
      ),
    ),
    openRoute('/redoc', () =>
      page(
        'Shelf: API reference',
        '<link rel="stylesheet" href="/theme.css">\n<link rel="stylesheet" href="/redoc/start.css">',
        '<redoc spec-url="/openapi.json" disable-telemetry="true"></redoc>\n<script src="/redoc/start.js"></script>\n<script type="module" src="/redoc/redoc.standalone.js"></script>',
      ),
    ),
    assetRoute('/docs/swagger-ui.css', () => Bun.file(swaggerStyle).text()),
    assetRoute('/docs/swagger-ui-bundle.js', () => Bun.file(swaggerScript).text()),
    assetRoute('/docs/start.js', () => Bun.file(pageScript).text()),
    assetRoute('/docs/start.css', () => Bun.file(pageStyle).text()),
    assetRoute('/redoc/start.css', () => Bun.file(redocPageStyle).text()),
    assetRoute('/redoc/start.js', () => Bun.file(redocPageScript).text()),
    assetRoute('/redoc/redoc.standalone.js', async () => selfContained(await Bun.file(redocScript).text())),
  ];
}

/** Redoc loads the logo of its maker from another host; an inline image replaces it. */
function selfContained(script: string): string {
  const name =
    '<svg xmlns="http://www.w3.org/2000/svg" width="44" height="12"><text y="10" font-family="sans-serif" font-size="10" fill="#4d8dff">Redocly</text></svg>';
  return script.replaceAll(/https:\/\/cdn\.redoc\.ly\/[\w/.-]+/g, `data:image/svg+xml,${encodeURIComponent(name)}`);
}
