/** Hostile documents: nothing of theirs is run, nothing is fetched, and no other file is read. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDaemon, testDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { listening } from '../support/ports.ts';
import { processesOf } from './converter.ts';
import { docx, flatOdf, odf, odfType, page, paragraphs, table } from './documents.ts';
import { CAN_CONVERT, convert } from './targets.ts';
import { unzip, zip } from './zip.ts';

const secrets = temporaryFolder('secrets');
const RED = Buffer.from([255, 0, 0]);
let server: Server;
let daemon: TestDaemon;
let url: string;
const asked: string[] = [];

/** A picture of one pixel colour that nothing else here has. */
function png(): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    size.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([size, body, sum]);
  };
  const head = Buffer.from([0, 0, 0, 8, 0, 0, 0, 8, 8, 2, 0, 0, 0]);
  const line = Buffer.concat([Buffer.from([0]), ...Array.from({ length: 8 }, () => RED)]);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: 8 }, () => line)));
  const chunks = [chunk('IHDR', head), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks]);
}

beforeAll(async () => {
  writeFileSync(join(secrets, 'secret.txt'), 'SECRET WORDS');
  writeFileSync(join(secrets, 'secret.png'), png());
  server = createServer((request, response) => {
    asked.push(String(request.url));
    response.end('SECRET WORDS');
  });
  url = `http://127.0.0.1:${await listening(server)}`;
  daemon = await testDaemon({ env: { PATH: process.env.PATH, http_proxy: url, HTTP_PROXY: url } });
});
afterAll(async () => {
  await daemon.stop();
  server.close();
});

const file = (name: string): string => `file://${secrets}/${name}`;

/** An ODT with a macro that is bound to its opening and rewrites the text. */
function macro(): Buffer {
  const library = 'xmlns:library="http://openoffice.org/2000/library"';
  const code = 'Sub Main\nThisComponent.Text.String = &quot;THE MACRO RAN&quot;\nEnd Sub';
  const bound =
    '<office:scripts><office:event-listeners><script:event-listener script:language="ooo:script" ' +
    'script:event-name="dom:load" xlink:type="simple" ' +
    'xlink:href="vnd.sun.star.script:Standard.M.Main?language=Basic&amp;location=document"/></office:event-listeners></office:scripts>';
  const text = odf('text', paragraphs(['with a macro']), bound);
  const entry = (name: string, type: string): string =>
    `<manifest:file-entry manifest:full-path="${name}" manifest:media-type="${type}"/>`;
  const names = ['Basic/script-lc.xml', 'Basic/Standard/script-lb.xml', 'Basic/Standard/M.xml'];
  const manifest = `<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">${entry('/', odfType('text'))}${entry('content.xml', 'text/xml')}${names.map((name) => entry(name, 'text/xml')).join('')}</manifest:manifest>`;
  return zip([
    { name: 'mimetype', data: odfType('text'), stored: true },
    { name: 'content.xml', data: unzip(text).get('content.xml')! },
    {
      name: names[0]!,
      data: `<library:libraries ${library}><library:library library:name="Standard" library:link="false"/></library:libraries>`,
    },
    {
      name: names[1]!,
      data: `<library:library ${library} library:name="Standard" library:readonly="false" library:passwordprotected="false"><library:element library:name="M"/></library:library>`,
    },
    {
      name: names[2]!,
      data: `<script:module xmlns:script="http://openoffice.org/2000/script" script:name="M" script:language="StarBasic">${code}</script:module>`,
    },
    { name: 'META-INF/manifest.xml', data: manifest },
  ]);
}

describe.skipIf(!CAN_CONVERT)('hostile documents, with soffice, pdftotext and unzip', () => {
  it('run no macro, also not one that is bound to opening', async () => {
    const { status, body } = await convert(daemon, { name: 'macro.odt', document: macro(), to: 'txt' });
    expect(status).toBe(200);
    expect(readFileSync(body.output, 'utf8')).toMatch(/^\ufeff?with a macro\s*$/);
  });

  it('fetch nothing', async () => {
    const image = (of: string): string =>
      `<draw:frame svg:width="2cm" svg:height="2cm" text:anchor-type="as-char"><draw:image xlink:href="${of}" xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad"/></draw:frame>`;
    const section = `<text:section text:name="S"><text:section-source xlink:href="${url}/section.odt" xlink:type="simple"/><text:p>old</text:p></text:section>`;
    const sheet = `<table:table table:name="A"><table:table-row><table:table-cell table:formula="of:=WEBSERVICE(&quot;${url}/formula&quot;)"/></table:table-row></table:table><table:table table:name="B"><table:table-source xlink:href="${url}/sheet.ods" xlink:type="simple" table:table-name="A"/></table:table>`;
    const html = `<html><head><link rel="stylesheet" href="${url}/css"></head><body background="${url}/back.png"><img src="${url}/img.png"><iframe src="${url}/frame"></iframe><p>t</p></body></html>`;
    const field = `<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> INCLUDEPICTURE "${url}/field.png" \\d </w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>`;
    const drawing = `<draw:page><draw:frame svg:width="5cm" svg:height="5cm"><draw:image xlink:href="${url}/slide.png" xlink:type="simple"/></draw:frame></draw:page>`;
    const documents = {
      'web.odt': odf('text', `<text:p>t${image(`${url}/image.png`)}</text:p>${section}`),
      'web.ods': odf('spreadsheet', sheet),
      'web.html': Buffer.from(html),
      'web.docx': docx(['t'], field),
      'web.fodp': flatOdf('presentation', drawing + page('text')),
      'web.csv': Buffer.from(`a,"=WEBSERVICE(""${url}/csv"")"\n`),
    };
    const all = Object.entries(documents).map(([name, document]) => convert(daemon, { name, document, to: 'pdf' }));
    expect((await Promise.all(all)).map(({ status, body }) => [status, body.error])).toEqual(
      all.map(() => [200, undefined]),
    );
    expect(asked).toEqual([]);
  }, 120_000);

  it('read nothing beside them where the system can keep them from it', async () => {
    const status = (await (await daemon.request('/office/soffice')).json()) as { isolation: string };
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="90" height="90"><rect width="20" height="20" fill="blue"/><image xlink:href="${file('secret.png')}" width="50" height="50"/></svg>`;
    const section = `<text:section text:name="S"><text:section-source xlink:href="${file('secret.txt')}" text:filter-name="Text" xlink:type="simple"/><text:p>old</text:p></text:section>`;
    const frame = `<text:p><draw:frame svg:width="5cm" svg:height="5cm" text:anchor-type="as-char"><draw:floating-frame xlink:href="${file('secret.txt')}" xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad"/></draw:frame></text:p>`;
    const text = await convert(daemon, { name: 'near.odt', document: odf('text', section + frame), to: 'txt' });
    expect(text.status).toBe(200);
    expect(readFileSync(text.body.output, 'utf8')).not.toContain('SECRET');
    const picture = await convert(daemon, { name: 'near.svg', document: Buffer.from(svg), to: 'pdf' });
    const kept = picture.status === 200 ? readFileSync(picture.body.output) : Buffer.alloc(0);
    if (status.isolation === 'files_and_network') expect(kept.includes('/Subtype/Image')).toBe(false);
    const sheet = odf(
      'spreadsheet',
      table('A', [['x']]).replace(
        '<table:table-row>',
        `<table:table-source xlink:href="${file('secret.txt')}" xlink:type="simple" table:table-name="A"/><table:table-row>`,
      ),
    );
    const csv = await convert(daemon, { name: 'near.ods', document: sheet, to: 'csv' });
    if (csv.status === 200) expect(readFileSync(csv.body.output, 'utf8')).not.toContain('SECRET');
  }, 60_000);

  it('leave no process behind', () => {
    expect(processesOf(daemon.home)).toEqual([]);
  });
});
