/**
 * The definition of a tool: one zod schema, which validates the input and gives its JSON Schema, and a function.
 *
 * - A tool refuses by throwing `ToolFailure` with a message for the model, which becomes an outcome.
 * - Other errors never reach the model as they are, because the runtime's messages name absolute paths.
 */
import { z } from 'zod';
import type { Json } from '../../events/envelope.ts';
import { faultOf } from '../../events/fault.ts';
import { errorCode } from '../../lib/error-code.ts';
import type { ToolClass, ToolOutcome, ToolSpec } from '../../ports/tools.ts';
import type { ToolsSettings } from './config.ts';
import {
  type Confined,
  type ConfinedPath,
  ConfinementError,
  type ConfinementScope,
  confine,
  type Intent,
  showPath,
} from './confine.ts';

export interface ToolContext {
  readonly place: ConfinementScope;
  readonly settings: ToolsSettings;
  /** Value of the marker variable that all processes of the call carry. */
  readonly marker: string;
  readonly signal: AbortSignal;
  /** Receives the files that an aborted call had changed. */
  readonly onAborted: (filesModified: readonly string[]) => void;
  /** Throws when the call was aborted or the daemon may not act any more. Call it right before each change. */
  readonly mayChange: () => void;
}

export interface Tool {
  readonly spec: ToolSpec;
  run(input: Json, context: ToolContext): Promise<ToolOutcome>;
}

export interface ToolDefinition<Schema extends z.ZodType> {
  readonly name: string;
  readonly description: string;
  readonly class: ToolClass;
  readonly idempotent: boolean;
  readonly input: Schema;
  run(input: z.infer<Schema>, context: ToolContext): Promise<ToolOutcome>;
}

/** A refusal. The message is for the model and contains no path that the caller did not give. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
}

export function defineTool<Schema extends z.ZodType>(definition: ToolDefinition<Schema>): Tool {
  const { name, description, idempotent } = definition;
  let schema: ToolSpec['input_schema'] | undefined;
  return {
    spec: {
      name,
      description,
      class: definition.class,
      idempotent,
      // Computed at the first request to a model, not at the start of the daemon.
      get input_schema() {
        schema ??= jsonSchema(definition.input);
        return schema;
      },
    },
    run(input, context) {
      const parsed = definition.input.safeParse(input, { error: faultOf });
      if (!parsed.success) throw new ToolFailure(describeIssues(name, input, parsed.error));
      return definition.run(parsed.data, context);
    },
  };
}

export function succeeded(output: string, filesModified: readonly string[] = []): ToolOutcome {
  return { success: true, output, files_modified: filesModified };
}

export function failed(output: string): ToolOutcome {
  return { success: false, output, files_modified: [] };
}

/** The confined path. Throws `ToolFailure` when it is refused. */
export async function confined(context: ToolContext, path: string, intent: Intent): Promise<ConfinedPath> {
  const found: Confined = await confine(context.place, path, intent);
  if (!found.ok) throw new ToolFailure(found.reason);
  return found;
}

/** Real path of the workspace, which must pass the checks of paths in it. */
export async function workspaceOf(context: ToolContext): Promise<string> {
  return (await confined(context, '.', 'read')).root;
}

/** Runs `work` on a path. Errors of the system and of the confinement become failures that name the path. */
export async function namingPath<Value>(path: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    const why = error instanceof ConfinementError ? error.message : describeSystemError(error);
    throw why === undefined ? error : new ToolFailure(`${showPath(path)} ${why}.`);
  }
}

/** Describes an error of the operating system; `undefined` for other errors. */
export function describeSystemError(error: unknown): string | undefined {
  const code = errorCode(error);
  if (code === undefined) return undefined;
  return SYSTEM_ERRORS[code] ?? `failed with ${code}`;
}

const SYSTEM_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'may not be accessed (permission denied)',
  EPERM: 'may not be changed (operation not permitted)',
  EISDIR: 'is a directory',
  ENOTDIR: 'has a parent that is not a directory',
  EEXIST: 'exists already',
  ELOOP: 'is or passes through a symbolic link that may not be followed',
  ENAMETOOLONG: 'has a name that is too long',
  ENOSPC: 'cannot be written: the disk is full',
  EDQUOT: 'cannot be written: the disk quota is used up',
  EROFS: 'is on a read-only file system',
  EMFILE: 'cannot be opened now: too many files are open',
  ENFILE: 'cannot be opened now: too many files are open',
};

const ISSUES_MAX = 5;

function describeIssues(name: string, input: Json, error: z.ZodError): string {
  if (typeof input === 'string') return `The input of ${name} is not a JSON object.`;
  const issues = error.issues.slice(0, ISSUES_MAX).map((issue) => {
    const at = issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
    const fault = issue.code === 'unrecognized_keys' ? `has no field ${issue.keys.join(', ')}` : issue.message;
    return `${at}${fault}`.slice(0, 200).toWellFormed();
  });
  return `The input of ${name} is not right. ${issues.join('; ')}.`;
}

function jsonSchema(schema: z.ZodType): ToolSpec['input_schema'] {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest as ToolSpec['input_schema'];
}
