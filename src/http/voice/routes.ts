/** Speech over HTTP: transcription, the available engines, and the voice settings. */

import type { ModelsPort } from '../../ports/models.ts';
import type { SpeechPort } from '../../ports/speech.ts';
import type { Views } from '../../projections/views.ts';
import type { RouteSpec } from '../server/route.ts';
import { voiceSettingsRoutes } from './settings.ts';
import { transcribeRoute } from './transcribe.ts';

export interface Dependencies {
  readonly config: { readonly voice_language: string; readonly voice_prefer_local: boolean };
  readonly views: Views;
  readonly models: ModelsPort;
  readonly speech: SpeechPort;
}

export function voiceRoutes(deps: Dependencies): readonly RouteSpec[] {
  return [transcribeRoute(deps), ...voiceSettingsRoutes(deps)];
}
