/** The headers of a delivery. A blank header counts as absent. */
import type { FastifyRequest } from 'fastify';
import { deliveryId } from '../../commands/webhook/received.ts';

export function headerOf(request: FastifyRequest, name: string): string | undefined {
  const text = request.headers[name];
  return typeof text === 'string' && text.trim() !== '' ? text.trim() : undefined;
}

/** The sender's id of the delivery; null when it sent none that can be used. */
export function senderDeliveryId(request: FastifyRequest): string | null {
  return deliveryId(headerOf(request, 'x-forge-delivery') ?? headerOf(request, 'x-github-delivery'));
}
