/** The measured engines, by name. */
import type { SubjectName } from './plan.ts';
import type { Place, Subject } from './subjects/subject.ts';

/** Each is imported when it is opened, so that it does not count towards the memory of another. */
export async function openSubject(name: SubjectName, place: Place): Promise<Subject> {
  switch (name) {
    case 'cow':
    case 'lsm':
    case 'embedded_kv':
      return (await import('./subjects/daybook.ts')).openDaybook(name, place);
    case 'lmdb':
      return (await import('./subjects/lmdb.ts')).openLmdb(place);
    case 'level':
      return (await import('./subjects/level.ts')).openLevel(place);
    case 'sqlite':
      return (await import('./subjects/sqlite.ts')).openSqlite(place);
    case 'map':
      return (await import('./subjects/map.ts')).openMap();
  }
}
