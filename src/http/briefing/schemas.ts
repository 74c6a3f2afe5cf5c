/** The settings in a request: any of the fields. The decider checks their combinations. */
import { z } from 'zod';
import {
  BRIEFING_LENGTHS,
  BRIEFING_SECTIONS,
  BRIEFING_WRITERS,
  WEEKDAYS,
  zBriefingSettings,
} from '../../events/briefing/events.ts';

const PATH_CHARACTERS_MAX = 4_096;
const zPath = z.string().max(PATH_CHARACTERS_MAX);
const { shape } = zBriefingSettings;

const oneOf = <const Names extends readonly string[]>(names: Names) =>
  z.enum(names, { error: `must be one of ${names.join(', ')}` });

export const zSettingsBody = z.strictObject({
  enabled: shape.enabled.exactOptional(),
  time: shape.time.exactOptional(),
  days: z.array(oneOf(WEEKDAYS)).exactOptional(),
  timezone: z.string().max(100).nullable().exactOptional(),
  sections: z.array(oneOf(BRIEFING_SECTIONS)).exactOptional(),
  writer: oneOf(BRIEFING_WRITERS).exactOptional().describe(shape.writer.description!),
  provider: shape.provider.exactOptional(),
  model: shape.model.exactOptional(),
  language: shape.language.exactOptional(),
  length: oneOf(BRIEFING_LENGTHS).exactOptional().describe(shape.length.description!),
  workspace: zPath.nullable().exactOptional(),
  repositories: z.array(zPath).exactOptional(),
  hours: shape.hours.exactOptional(),
  keep: shape.keep.exactOptional(),
});
z.globalRegistry.add(zSettingsBody, { examples: [{ enabled: true, time: '07:30', sections: ['runs', 'goals'] }] });
