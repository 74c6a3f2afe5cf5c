/** What a user is told who wants to be understood on a machine where nothing can. */
import { cppModel, hasModel, type LocalModel, type Runtimes } from './local-asr.ts';

const CLOUD = 'or set OPENAI_API_KEY or GROQ_API_KEY and start the daemon again to have audio transcribed in the cloud';

export function transcriptionHint(runtimes: Runtimes, model: LocalModel): string {
  const runtime = runtimes.cpp !== null || runtimes.python !== null;
  const there = hasModel(runtimes, model);
  const steps = [
    ...(runtime ? [] : [`install whisper.cpp so that whisper-cli is on the PATH (${runtimeHint()})`]),
    ...(there ? [] : [`put its model there: ${modelHint(model)}`]),
  ];
  return `No transcription engine is available. To stay on this machine, ${steps.join(' and ')}; ${CLOUD}.`;
}

function runtimeHint(): string {
  return process.platform === 'darwin'
    ? 'brew install whisper-cpp'
    : 'https://github.com/ggml-org/whisper.cpp, or pip install openai-whisper';
}

function modelHint(model: LocalModel): string {
  const url = `https://huggingface.co/ggerganov/whisper.cpp/resolve/main/ggml-${model.name}.bin`;
  return `curl -L --create-dirs -o ${cppModel(model)} ${url}`;
}
