/**
 * The published data of the log, read by programs that are not Daybook's: Go's `sumdb/note` and `sumdb/tlog`, in
 * Debian's packages `golang-go` and `golang-golang-x-mod-dev`. Where these are missing the tests are skipped, unless
 * DAYBOOK_TEST_GO=required.
 */
import { describe, expect, it } from 'vitest';
import { fill } from '../storage/log-helpers.ts';
import { ask, goAccepts, hasGo, isGoRequired, type SignedLog, signedLog } from './support.ts';

const withGo = describe.skipIf(!hasGo && !isGoRequired);
const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');

async function servedTo(signed: SignedLog) {
  const url = await signed.server.listen();
  return { Vkey: await signed.vkey(), Prefix: `${url}/v1/tlog`, Authorization: `Bearer ${signed.server.token}` };
}

const leavesOf = ({ log }: SignedLog): string[] => [...log.readAll()].map(({ leafHash }) => base64(leafHash));

withGo('Go accepts', () => {
  it.each([0, 1, 2, 255, 256, 257, 600])(
    'a log of %i events: checkpoint, every leaf and earlier trees',
    async (size) => {
      const signed = await signedLog();
      await fill(signed.log, size);
      const sizes = [1, 2, 255, 256, 257, 511, 512, 600].filter((from) => from <= size);
      const Earlier = sizes.map((From) => ({ From, FromRoot: base64(signed.log.treeHash(From)) }));
      await goAccepts({ ...(await servedTo(signed)), Leaves: leavesOf(signed), Earlier });
    },
  );

  it('every proof of inclusion and consistency that the routes answer', async () => {
    const signed = await signedLog();
    await fill(signed.log, 70);
    const get = async (path: string, headers = {}): Promise<string> => {
      const { status, text } = await ask(signed, path, { headers });
      expect(status).toBe(200);
      return text;
    };
    const Inclusion: unknown[] = [];
    const Consistency: unknown[] = [];
    const Proofs: unknown[] = [];
    for (let position = 1; position <= 70; position += 1) {
      const proof = JSON.parse(await get(`/v1/log/proof?position=${position}`));
      const [Leaf, Root] = [base64(proof.leaf_hash), base64(proof.tree_hash)];
      Inclusion.push({ Index: position - 1, Size: proof.size, Leaf, Root, Path: proof.path.map(base64) });
      Proofs.push({ Text: await get(`/v1/log/proof?position=${position}&format=tlog-proof`), Leaf });
      const older = `/v1/log/proof?position=${position}&size=${Math.max(position, 40)}`;
      Proofs.push({ Text: await get(older, { accept: 'text/plain' }), Leaf });
      const { from, to, path, from_hash, to_hash } = JSON.parse(await get(`/v1/log/consistency?from=${position}`));
      const roots = { FromRoot: base64(from_hash), ToRoot: base64(to_hash) };
      Consistency.push({ From: from, To: to, ...roots, Path: path.map(base64) });
    }
    const Vkey = await signed.vkey();
    await goAccepts({ Vkey, Inclusion, Consistency, Proofs });
    const [first, second] = Proofs as { Text: string; Leaf: string }[];
    await expect(goAccepts({ Vkey, Proofs: [{ ...second!, Leaf: first!.Text }] })).rejects.toThrow();
  });

  it('and refuses what was changed: another leaf, another tree, another key', async () => {
    const signed = await signedLog();
    await fill(signed.log, 300);
    const served = await servedTo(signed);
    const Leaves = leavesOf(signed);
    const other = Leaves.with(7, Leaves[8]!);
    await expect(goAccepts({ ...served, Leaves: other })).rejects.toThrow('leaf 7');
    const Earlier = [{ From: 4, FromRoot: base64(signed.log.treeHash(5)) }];
    await expect(goAccepts({ ...served, Leaves, Earlier })).rejects.toThrow('tree 4');
    const Vkey = await (await signedLog({ settings: { log_origin: served.Vkey.split('+')[0] } })).vkey();
    await expect(goAccepts({ ...served, Vkey, Leaves })).rejects.toThrow('checkpoint');
  });
});
