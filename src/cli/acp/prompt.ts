/** A prompt's content blocks as the text of a task. What this agent said it cannot take is refused. */
import { type ContentBlock, RequestError } from '@agentclientprotocol/sdk';

export function taskOf(prompt: readonly ContentBlock[]): string {
  const task = prompt.map(textOf).join('\n\n').trim();
  if (task === '') throw RequestError.invalidParams({ prompt: 'must hold some text' });
  return task.toWellFormed();
}

function textOf(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'resource_link':
      return `[${block.title ?? block.name}](${block.uri})`;
    case 'resource': {
      const { resource } = block;
      if (!('text' in resource)) return `(The binary resource ${resource.uri} is left out.)`;
      return `Contents of ${resource.uri}:\n\n<context>\n${resource.text}\n</context>`;
    }
    case 'image':
    case 'audio':
      throw RequestError.invalidParams({ prompt: `${block.type} content is not supported` });
  }
}
