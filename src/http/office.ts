/** Office conversion: the state of the converter, the path of its program, and the conversion of a document. */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { OFFICE_STREAM_ID, officeSettings } from '../commands/office.ts';
import type { Clock } from '../ports/clock.ts';
import type { IdGenerator } from '../ports/id-generator.ts';
import { OFFICE_TARGETS, type OfficePort, type OfficeStatus, zOfficeStatus } from '../ports/office.ts';
import { officePath } from '../projections/office.ts';
import type { Views } from '../projections/views.ts';
import { whileConnected } from './server/disconnect.ts';
import { errorReply, zError } from './server/errors.ts';
import { JSON_TYPE } from './server/headers.ts';
import { type Answer, bytes, ok, type RouteSpec, routesOf, value } from './server/route.ts';

const { get, post, put } = routesOf({ tag: 'office' });

export interface Dependencies {
  readonly config: { readonly workspace: string };
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly views: Views;
  readonly office: OfficePort;
  viewsUnavailable(): string | null;
}

const TIMEOUT_SECONDS = 60;
const TIMEOUT_SECONDS_MAX = 600;
/** The longest path on Linux. */
const PATH_CHARACTERS_MAX = 4_096;

const zStatus = zOfficeStatus.extend({
  available: z.boolean().describe('The same as state `ready`.'),
  import_extensions: z.array(z.string()).describe('Extensions of the files that it reads.'),
});

const zConvert = z.object({
  path: z.string().max(PATH_CHARACTERS_MAX).describe('The document, absolute or relative to the workspace.'),
  to: z.enum(OFFICE_TARGETS).describe('The form to convert into.'),
  timeout_secs: z.number().positive().max(TIMEOUT_SECONDS_MAX).nullish(),
});
z.globalRegistry.add(zConvert, { examples: [{ path: '/home/ada/notes/report.docx', to: 'pdf' }] });

export function officeRoutes(deps: Dependencies): readonly RouteSpec[] {
  const { office, views } = deps;
  return [
    get('/office/soffice', {
      operation: 'converter',
      summary: 'The state of the converter, examined now, and the formats that it reads.',
      responses: ok('The state.', zStatus),
      handle: async () => value(statusBody(office, await office.probe(officePath(views)))),
    }),
    put('/office/soffice/path', {
      operation: 'setConverterPath',
      summary: 'Sets the program to use, after starting it once, or clears the setting with null.',
      body: z
        .object({
          path: z.string().max(PATH_CHARACTERS_MAX).nullable().describe('The program; null: it is looked for.'),
        })
        .meta({ examples: [{ path: '/usr/bin/soffice' }] }),
      responses: ok('The state as it is now.', zStatus, {
        400: 'path is missing or neither text nor null.',
        403: 'path leads into a credential store.',
        422: 'path does not start a converter; nothing was changed.',
      }),
      async handle({ body: { path }, dispatch }) {
        if (path === null) {
          await dispatch(officeSettings, OFFICE_STREAM_ID, { type: 'ClearOfficePath' });
          return value(statusBody(office, await office.probe(null)));
        }
        const status = await office.check(path);
        await dispatch(officeSettings, OFFICE_STREAM_ID, { type: 'SetOfficePath', path });
        return value(statusBody(office, status));
      },
    }),
    post('/office/convert', {
      operation: 'convert',
      summary: 'Converts a document. The result is a file; the same input, target and engine get that file again.',
      body: zConvert,
      responses: ok('Where the result is.', zConverted, {
        400: 'A field is missing or not allowed; unknown target.',
        403: 'path leads into a credential store.',
        404: 'There is no such input.',
        413: 'The input has more than 100 MiB.',
        422: 'The input is of no supported format, or cannot become the target.',
        502: 'The converter left no usable output.',
        503: {
          description: 'No converter, or too many conversions wait; `soffice` tells its state.',
          schema: zError.extend({ soffice: zStatus.optional().describe('State of the converter.') }),
        },
        504: 'The conversion took longer than timeout_secs.',
      }),
      handle: ({ body, request }) => convert(deps, body, request),
    }),
  ];
}

const zConverted = z.object({
  output: z.string().describe('Path of the result.'),
  target: z.enum(OFFICE_TARGETS).describe('The form of the result.'),
  bytes: z.int(),
  cached: z.boolean().describe('Whether an earlier result was taken.'),
  engine_version: z.string().describe('Version of the converter.'),
  elapsed_ms: z.int(),
});

async function convert(deps: Dependencies, body: z.infer<typeof zConvert>, request: FastifyRequest): Promise<Answer> {
  const started = deps.clock.now();
  const configuredPath = officePath(deps.views);
  const job = {
    id: deps.ids.uuid(),
    path: body.path,
    base: deps.config.workspace,
    target: body.to,
    timeoutSeconds: body.timeout_secs ?? TIMEOUT_SECONDS,
    configuredPath,
  };
  try {
    const done = await whileConnected(request, (signal) => deps.office.convert(job, signal));
    const elapsed_ms = Math.max(0, Math.round(deps.clock.now() - started));
    // Sent as bytes, which are not recorded for an idempotent repeat: the cache may have removed the file since.
    return bytes(JSON_TYPE, Buffer.from(JSON.stringify({ ...done, target: body.to, elapsed_ms })));
  } catch (error) {
    const { status, message, headers } = errorReply(error);
    if (status !== 503) throw error;
    const soffice = statusBody(deps.office, deps.office.known(configuredPath));
    return { kind: 'text', status, type: JSON_TYPE, text: JSON.stringify({ error: message, soffice }), headers };
  }
}

function statusBody(office: OfficePort, status: OfficeStatus): z.infer<typeof zStatus> {
  return { ...status, available: status.state === 'ready', import_extensions: [...office.importExtensions] };
}

/**
 * The converter in the public `/health`: the cached state, without a path; `checking` while the views are unavailable.
 */
export function sofficeFeature({ office, views }: Pick<Dependencies, 'office' | 'views'>, hasViews: boolean) {
  const { state: known, version, detail, install_hint } = office.known(hasViews ? officePath(views) : null);
  const state = hasViews ? known : 'checking';
  return { available: state === 'ready', state, version, detail, install_hint, routes_prefix: '/office' };
}
