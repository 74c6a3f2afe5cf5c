/**
 * The OpenAPI document of the daemon's own routes, without a daemon: declaring routes needs no working dependencies.
 */
import { type OpenApi, openApi } from '../../src/http/openapi/document.ts';
import { withDocuments } from '../../src/http/openapi/routes.ts';
import { resources } from '../../src/resources.ts';

export async function clientDocument(): Promise<OpenApi> {
  const version = '';
  // Routes read settings when they are declared and everything else when they are called.
  const parts = Object.assign(Object.create(null), { config: {}, log: {}, projector: {}, version });
  const routes = withDocuments(
    { version, sockets: [] },
    resources.map((each) => each.routes(parts)),
  );
  return openApi(routes.flat(), version);
}
