// The health check of the container: exit code 0 when the daemon of $DAYBOOK_HOME answers that it is healthy. The port
// and the scheme are those of its discovery file. The certificate is not checked: it need not cover the loopback address.
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';

const { url } = JSON.parse(readFileSync(`${process.env.DAYBOOK_HOME}/daemon.json`, 'utf8'));
const { protocol, port } = new URL(url);
const { get } = protocol === 'https:' ? https : http;
get({ host: '127.0.0.1', port, path: '/health', rejectUnauthorized: false }, ({ statusCode }) =>
  process.exit(statusCode === 200 ? 0 : 1),
);
