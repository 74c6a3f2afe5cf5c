/**
 * The profile of a job's converter: no macros, no update of links, and a proxy address without a proxy as a second
 * barrier to the network.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const COMMON = '/org.openoffice.Office.Common';
const SCRIPTING = `${COMMON}/Security/Scripting`;
const NETWORK = '/org.openoffice.Inet/Settings';

const SETTINGS: readonly (readonly [path: string, name: string, value: string])[] = [
  [SCRIPTING, 'MacroSecurityLevel', '3'],
  [SCRIPTING, 'DisableMacrosExecution', 'true'],
  [SCRIPTING, 'BlockUntrustedRefererLinks', 'true'],
  // No folder is trusted, whatever the program's defaults are.
  [SCRIPTING, 'SecureURL', ''],
  ['/org.openoffice.Office.Writer/Content/Update', 'Link', '0'],
  ['/org.openoffice.Office.Calc/Content/Update', 'Link', '2'],
  [`${COMMON}/Java/ApplicationEnvironment`, 'Enabled', 'false'],
  ['/org.openoffice.Office.Java/VirtualMachine', 'Enable', 'false'],
  [NETWORK, 'ooInetProxyType', '2'],
  [NETWORK, 'ooInetHTTPProxyName', '127.0.0.1'],
  [NETWORK, 'ooInetHTTPProxyPort', '9'],
  [NETWORK, 'ooInetHTTPSProxyName', '127.0.0.1'],
  [NETWORK, 'ooInetHTTPSProxyPort', '9'],
  [NETWORK, 'ooInetNoProxy', ''],
];

/** Writes a new profile into a folder that does not exist yet. */
export async function writeProfile(folder: string): Promise<void> {
  const user = join(folder, 'user');
  await mkdir(user, { recursive: true, mode: 0o700 });
  const items = SETTINGS.map(
    ([path, name, value]) =>
      `<item oor:path="${path}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>`,
  );
  await writeFile(join(user, 'registrymodifications.xcu'), `${HEAD}\n${items.join('\n')}\n</oor:items>\n`);
}

const HEAD = `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema">`;
