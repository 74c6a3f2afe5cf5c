/** The connector catalogue: servers that are known by name, how each is launched and which credentials it needs. */
import { z } from 'zod';

export const zCatalogConnector = z.object({
  id: z.string().describe('Id in the catalogue.'),
  title: z.string(),
  description: z.string().describe('What it offers.'),
  category: z.string().describe('What it belongs to.'),
  command: z.string().describe('The program.'),
  args: z.array(z.string()),
  runtime: z.enum(['builtin', 'npx', 'uvx']).describe('What starts it: the daemon, `npx` of Node or `uvx` of Python.'),
  credentials: z
    .array(
      z.object({
        /** Also the name in `{secret:NAME}`. */
        env: z.string().describe('Name of the environment variable.'),
        label: z.string().describe('Name for people.'),
        help: z.string().describe('Where to get it.'),
      }),
    )
    .describe('Secrets that it needs.'),
  docs_url: z.string().describe('Its documentation.'),
});
export type CatalogConnector = Readonly<z.infer<typeof zCatalogConnector>>;
type CredentialField = CatalogConnector['credentials'][number];

/** The entry that is this program itself. */
export const OWN_CONNECTOR_ID = 'daybook';

const SERVERS = 'https://github.com/modelcontextprotocol/servers/tree/main/src';
/** The repository of MCP servers that are archived. */
const ARCHIVED = 'https://github.com/modelcontextprotocol/servers-archived/tree/main/src';

type Described = Pick<CatalogConnector, 'title' | 'description' | 'category'> & Partial<CatalogConnector>;

export const CONNECTOR_CATALOG: readonly CatalogConnector[] = [
  {
    id: OWN_CONNECTOR_ID,
    title: 'Daybook',
    description: 'Jobs, runs, memories and goals of this daemon, for any MCP client.',
    category: 'Daybook',
    command: 'daybook',
    args: ['--mcp-server'],
    runtime: 'builtin',
    credentials: [],
    docs_url: 'https://modelcontextprotocol.io',
  },
  npx('filesystem', ['{workspace}'], {
    title: 'Filesystem',
    description: 'Read, write and search the files of the workspace.',
    category: 'Files And Code',
    docs_url: `${SERVERS}/filesystem`,
  }),
  uvx('git', ['--repository', '{workspace}'], {
    title: 'Git',
    description: 'Status, history, diffs and commits of the workspace’s repository.',
    category: 'Files And Code',
    docs_url: `${SERVERS}/git`,
  }),
  npx('github', [], {
    title: 'GitHub',
    description: 'Repositories, issues and pull requests on GitHub.',
    category: 'Files And Code',
    credentials: [
      credential('GITHUB_PERSONAL_ACCESS_TOKEN', {
        label: 'Personal access token',
        help: 'GitHub, Settings, Developer settings, Personal access tokens; give it only the repositories it needs.',
      }),
    ],
  }),
  npx('gitlab', [], {
    title: 'GitLab',
    description: 'Projects, issues and merge requests on GitLab.',
    category: 'Files And Code',
    credentials: [
      credential('GITLAB_PERSONAL_ACCESS_TOKEN', {
        label: 'Personal access token',
        help: 'GitLab, Preferences, Access tokens, with the scope api.',
      }),
      credential('GITLAB_API_URL', {
        label: 'API address',
        help: 'https://gitlab.com/api/v4, or the same of your own server.',
      }),
    ],
  }),
  uvx('fetch', [], {
    title: 'Fetch',
    description: 'Reads web pages as text.',
    category: 'Web And Search',
    docs_url: `${SERVERS}/fetch`,
  }),
  npx('brave-search', [], {
    title: 'Brave Search',
    description: 'Searches the web and nearby places.',
    category: 'Web And Search',
    credentials: [
      credential('BRAVE_API_KEY', {
        label: 'API key',
        help: 'From the dashboard at api-dashboard.search.brave.com.',
      }),
    ],
  }),
  npx('puppeteer', [], {
    title: 'Puppeteer',
    description: 'Drives a browser: opens pages, clicks, fills in, takes pictures.',
    category: 'Web And Search',
  }),
  npx('google-maps', [], {
    title: 'Google Maps',
    description: 'Places, addresses, distances and directions.',
    category: 'Web And Search',
    credentials: [
      credential('GOOGLE_MAPS_API_KEY', {
        label: 'API key',
        help: 'Google Cloud console, Google Maps Platform, Keys and credentials.',
      }),
    ],
  }),
  npx('postgres', ['{secret:POSTGRES_URL}'], {
    title: 'PostgreSQL',
    description: 'Schemas and read-only queries of a PostgreSQL database.',
    category: 'Databases',
    credentials: [
      credential('POSTGRES_URL', {
        label: 'Connection URL',
        help: 'postgresql://user:password@host:5432/database; a role that may only read is enough.',
      }),
    ],
  }),
  uvx('sqlite', ['--db-path', '{secret:SQLITE_DB_PATH}'], {
    title: 'SQLite',
    description: 'Schemas and queries of an SQLite file.',
    category: 'Databases',
    credentials: [credential('SQLITE_DB_PATH', { label: 'Database file', help: 'The absolute path of the file.' })],
  }),
  npx('memory', [], {
    title: 'Memory graph',
    description: 'A graph of entities and relations the server keeps in a file of its own.',
    category: 'Agent Memory',
    docs_url: `${SERVERS}/memory`,
  }),
  npx('sequential-thinking', [], {
    title: 'Sequential thinking',
    description: 'A scratchpad for thinking in steps that can be revised.',
    category: 'Agent Memory',
    docs_url: `${SERVERS}/sequentialthinking`,
  }),
  npx('slack', [], {
    title: 'Slack',
    description: 'Channels, messages and threads of a Slack workspace.',
    category: 'Inbox And Collaboration',
    credentials: [
      credential('SLACK_BOT_TOKEN', {
        label: 'Bot token',
        help: 'Begins with xoxb-; from the app’s page OAuth & Permissions.',
      }),
      credential('SLACK_TEAM_ID', { label: 'Team id', help: 'Begins with T; it is in the address of the workspace.' }),
    ],
  }),
  uvx('sentry', ['--auth-token', '{secret:SENTRY_AUTH_TOKEN}'], {
    title: 'Sentry',
    description: 'Issues and stack traces from Sentry.',
    category: 'Observability',
    credentials: [
      credential('SENTRY_AUTH_TOKEN', { label: 'Auth token', help: 'Sentry, Settings, Account, API, Auth tokens.' }),
    ],
  }),
  uvx('time', [], {
    title: 'Time',
    description: 'The current time, and times between time zones.',
    category: 'Utilities',
    docs_url: `${SERVERS}/time`,
  }),
  npx('everything', [], {
    title: 'Everything',
    description: 'The reference server that uses every feature of the protocol; for trying out a client.',
    category: 'Utilities',
    docs_url: `${SERVERS}/everything`,
  }),
];

const BY_ID = new Map(CONNECTOR_CATALOG.map((entry) => [entry.id, entry]));

export function catalogConnector(id: string): CatalogConnector | undefined {
  return BY_ID.get(id);
}

function npx(id: string, args: string[], described: Described): CatalogConnector {
  const launch = { command: 'npx', args: ['-y', `@modelcontextprotocol/server-${id}`, ...args] };
  return { id, ...launch, runtime: 'npx', credentials: [], docs_url: `${ARCHIVED}/${id}`, ...described };
}

/** The Python servers need the first version of their library. */
function uvx(id: string, args: string[], described: Described): CatalogConnector {
  const launch = { command: 'uvx', args: ['--with', 'mcp<2', `mcp-server-${id}`, ...args] };
  return { id, ...launch, runtime: 'uvx', credentials: [], docs_url: `${ARCHIVED}/${id}`, ...described };
}

function credential(env: string, words: Pick<CredentialField, 'label' | 'help'>): CredentialField {
  return { env, ...words };
}
