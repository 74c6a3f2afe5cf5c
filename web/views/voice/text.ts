/** The texts of the view Talk. */
export const text = {
  title: 'Talk',
  lead: 'Speech goes to the daemon of this page. With OPENAI_API_KEY or GROQ_API_KEY the daemon may have that provider write it down. Neither sound nor words are recorded in the log.',
  start: 'Start talking',
  starting: 'Starting…',
  stop: 'Stop',
  off: 'Not connected',
  states: {
    listening: 'Listening',
    hearing: 'You speak',
    thinking: 'Thinking',
    speaking: 'Answering',
  },
  closed: 'The daemon ended the conversation. Start again when it is back.',
  refused:
    'The daemon did not take the conversation: it is away, holds as many as it can, or its limit of requests is reached. Try again within a minute.',
  keys: { toggle: 'Start or stop talking', free: 'Push to talk or hands-free' },
  mode: {
    label: 'How you talk',
    push: 'Push to talk',
    pushHelp: 'Hold the button, or Space or Enter on it, while you speak. Nothing is sent otherwise.',
    free: 'Hands-free',
    freeHelp:
      'Speak whenever you like; speaking interrupts an answer. Use headphones, or a microphone that cancels echo.',
  },
  hold: 'Hold to talk',
  held: 'Let go to send',
  level: 'Level of the microphone',
  microphone: {
    denied:
      'The browser does not give this page the microphone. Allow it in the settings of the site, which the icon beside the address opens, and start again.',
    none: 'No microphone is connected. Connect one and start again.',
    busy: 'Another program has the microphone. Close it and start again.',
    insecure:
      'Browsers give the microphone only to pages of this machine or of https. Open the console at http://127.0.0.1, or give the daemon a certificate: DAYBOOK_TLS_CERT and DAYBOOK_TLS_KEY.',
    failed:
      'The microphone could not be opened. Connect it again, or choose another one in the browser, and start again.',
    lost: 'The microphone is gone: it was unplugged, or the browser took it back. Connect it and start again.',
  },
  missing: {
    ears: 'Nothing on the daemon’s machine can write speech down.',
    earsHow:
      'Install whisper.cpp and a model, or set OPENAI_API_KEY or GROQ_API_KEY and start the daemon again. docs/voice.md has the commands.',
    voice: 'Nothing on the daemon’s machine can speak: answers are text only.',
  },
  transcript: {
    label: 'Conversation',
    empty: 'Nothing was said yet',
    emptyHelp: 'Start, allow the microphone, and ask something.',
    you: 'You',
    assistant: 'Daybook',
    asr: (time: string) => `written down in ${time}`,
    firstAudio: (time: string) => `first sound ${time} after your words`,
    firstWord: (time: string) => `the model began in ${time}`,
    total: (time: string) => `whole answer ${time} after your words`,
    interrupted: 'You interrupted this answer.',
    carried: (words: string) => `You went on talking. These words join your next question: ${words}`,
  },
  settings: {
    title: 'Voice',
    engine: 'Engine',
    unavailable: (name: string) => `${name} (not here)`,
    voice: 'Voice',
    anyVoice: 'One that speaks the language',
    language: 'Language',
    auto: 'As it is heard',
    model: 'Who answers',
    anyModel: 'The model of the daemon',
    saved: 'Saved.',
  },
};
