/**
 * The BroadcastChannel that carries events to all threads of this process. A burst of more than
 * about a hundred is cut, so it is for what the next event replaces.
 * @module
 */

import { EventPublisher, EventSubscriber, type EventSubscriberOptions } from "../event_stream.ts";

/** Where the project's events go. */
export const EVENT_CHANNEL = "troupe.events";

/** A publisher that ends with its channel. */
export interface ChannelPublisher<E> extends Disposable {
  publish(event: E): void;
}

/**
 * Opens the channel for sending.
 *
 * @param sender a new id; unique in this process and over restarts
 */
export function openEventPublisher<E>(
  sender: string,
  channelName: string = EVENT_CHANNEL,
): ChannelPublisher<E> {
  const channel = new BroadcastChannel(channelName);
  const publisher = new EventPublisher<E>(sender, (event) => channel.postMessage(event));
  return {
    publish: (event) => publisher.publish(event),
    [Symbol.dispose]: () => channel.close(),
  };
}

/** Opens the channel for receiving; disposing ends it. */
export function subscribeToEvents<E>(
  options: EventSubscriberOptions<E>,
  channelName: string = EVENT_CHANNEL,
): Disposable {
  const channel = new BroadcastChannel(channelName);
  const subscriber = new EventSubscriber<E>(options);
  channel.onmessage = ({ data }) => subscriber.receive(data);
  return { [Symbol.dispose]: () => channel.close() };
}
