/** `daybook room`: lists rooms, shows their texts, writes a text. Several people edit the texts of a room together. */
import { Command } from 'commander';
import { notes } from '../help.ts';
import { type AnswerOptions, answerOptions, subcommand, withoutSubcommand } from '../options.ts';
import { withLog } from '../temporary-daemon.ts';
import { print, printJson, table } from '../text.ts';
import { everyRoom } from './rooms.ts';
import { show } from './show.ts';
import { write } from './write.ts';

const HELP = `
A room holds one or more texts, each with a name, such as the path of a file. Writing changes only the part that
differs, so that concurrent changes of others stay.

  daybook room list --all
  daybook room show standup --follow
  daybook room write standup < notes.md
  echo "- one more point" | daybook room write standup --append
`;

export function command(): Command {
  const room = new Command('room')
    .description('Texts that several people write together: read, follow, write.')
    .option('--all', 'also rooms that nobody is in')
    .allowExcessArguments()
    .action(withoutSubcommand(list));
  subcommand(room, 'list', 'list open rooms and their peers')
    .option('--all', 'also rooms that nobody is in')
    .action(list);
  subcommand(room, 'show', 'show the texts of a room')
    .argument('<room>', 'id, or a unique beginning of it')
    .option('--follow', 'show them again after every change, until Ctrl-C')
    .action(show);
  subcommand(room, 'write', 'replace a text by standard input; creates a missing room')
    .argument('<room>', 'id')
    .option('--text <name>', 'name of the text (default: the only one; in a new room "text")')
    .option('--append', 'append to the text instead')
    .action(write);
  return answerOptions(room).addHelpText('after', notes(HELP));
}

async function list(options: AnswerOptions & { readonly all?: boolean }): Promise<void> {
  await withLog(options, async (client) => {
    const open = new Set(await client.api.rooms.list());
    const ids = options.all === true ? await everyRoom(client) : [...open];
    const rooms = [];
    for (const room_id of ids.toSorted()) {
      const peers = open.has(room_id) ? await client.api.rooms.peers(room_id) : [];
      rooms.push({ room_id, open: open.has(room_id), peers });
    }
    if (options.json === true) return printJson({ rooms });
    if (rooms.length === 0) return print('No open rooms. See the others with: daybook room list --all\n');
    const rows = rooms.map((room) => [
      room.room_id,
      room.open ? ({ text: 'open', style: 'green' } as const) : 'closed',
      room.peers.map(({ name }) => name).join(', '),
    ]);
    await print(table([['ROOM', 'STATE', 'PEERS'], ...rows]));
  });
}
