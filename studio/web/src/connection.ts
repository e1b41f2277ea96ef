// The connection to the server: a WebSocket that reconnects, requests with ids and their answers, and HTTP requests with the token.
import { decodeFrame, type Frame } from './frames';
import type { DoneMessage, GalleryEntry, PageMessage, ServerMessage } from './messages';

export type Link = 'connecting' | 'open' | 'lost' | 'refused';

export interface Listeners {
  link(state: Link, retryInSeconds: number): void;
  message(message: ServerMessage): void;
  frame(frame: Frame): void;
  problem(text: string): void;
}

interface PendingRequest {
  resolve(answer: DoneMessage): void;
  reject(reason: Error): void;
  progress: ((done: number, text: string) => void) | undefined;
}

export type Request = PageMessage;

const FIRST_RETRY = 0.5;
const LONGEST_RETRY = 5;

export class Connection {
  private socket: WebSocket | undefined;
  private waiting = new Map<number, PendingRequest>();
  private nextId = 1;
  private retry = FIRST_RETRY;
  private timer = 0;
  private closed = false;
  readonly counts = { frames: 0, bytes: 0 };

  constructor(
    private readonly token: string,
    private readonly listeners: Listeners,
  ) {}

  start(): void {
    this.listeners.link('connecting', 0);
    this.connect();
  }

  stop(): void {
    this.closed = true;
    clearTimeout(this.timer);
    this.socket?.close();
  }

  get isOpen(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  address(path: string): string {
    return `${path}${path.includes('?') ? '&' : '?'}token=${encodeURIComponent(this.token)}`;
  }

  async gallery(): Promise<GalleryEntry[]> {
    const answer = await fetch(this.address('/gallery'));
    if (answer.status === 403) throw new Error('This address is no longer valid. Open the address that `pliant view` printed last.');
    if (!answer.ok) throw new Error(`The server has no gallery (${answer.status}).`);
    return (await answer.json()) as GalleryEntry[];
  }

  picture(entry: GalleryEntry): string {
    return this.address(entry.picture?.startsWith('/') ? entry.picture : `/pictures/${encodeURIComponent(entry.picture ?? entry.name)}`);
  }

  file(answer: DoneMessage): string {
    const file = String(answer.file ?? '');
    return this.address(file.startsWith('/') ? file : `/file/${file}`);
  }

  // A message without an answer. Without a connection it is dropped: an old drag must not arrive later.
  send(message: PageMessage): void {
    if (this.isOpen) this.socket?.send(JSON.stringify(message));
  }

  request(message: Request, progress?: (done: number, text: string) => void): Promise<DoneMessage> {
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      if (!this.isOpen) {
        reject(new Error('Not connected to the server.'));
        return;
      }
      this.waiting.set(id, { resolve, reject, progress });
      this.socket?.send(JSON.stringify({ ...message, id }));
    });
  }

  private connect(): void {
    const base = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}`;
    const socket = new WebSocket(base + this.address('/world'));
    socket.binaryType = 'arraybuffer';
    this.socket = socket;
    socket.onopen = () => {
      this.retry = FIRST_RETRY;
      this.listeners.link('open', 0);
    };
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => this.receive(event.data);
    socket.onclose = (event) => this.lost(event.code);
  }

  private receive(data: string | ArrayBuffer): void {
    try {
      if (typeof data !== 'string') {
        this.counts.frames += 1;
        this.counts.bytes += data.byteLength;
        this.listeners.frame(decodeFrame(data));
        return;
      }
      const message = JSON.parse(data) as ServerMessage;
      this.answer(message);
      this.listeners.message(message);
    } catch (error) {
      this.listeners.problem(error instanceof Error ? error.message : String(error));
    }
  }

  private answer(message: ServerMessage): void {
    if (message.kind !== 'done' && message.kind !== 'error' && message.kind !== 'progress') return;
    const waiting = message.id === undefined ? undefined : this.waiting.get(message.id);
    if (!waiting || message.id === undefined) {
      if (message.kind === 'error') this.listeners.problem(message.text);
      return;
    }
    if (message.kind === 'progress') {
      waiting.progress?.(message.done, message.text ?? '');
      return;
    }
    this.waiting.delete(message.id);
    if (message.kind === 'done') waiting.resolve(message);
    else waiting.reject(new Error(message.text));
  }

  private lost(code: number): void {
    for (const waiting of this.waiting.values()) waiting.reject(new Error('The connection to the server was lost.'));
    this.waiting.clear();
    if (this.closed) return;
    if (code === 1007 || code === 1002 || code === 1009) this.listeners.problem(`The server closed the connection (code ${code}).`);
    this.listeners.link('lost', this.retry);
    this.timer = window.setTimeout(() => this.connectIfAllowed(), 1000 * this.retry);
    this.retry = Math.min(LONGEST_RETRY, 2 * this.retry);
  }

  // For a WebSocket a refused token looks like any failed connection; a plain request shows the difference.
  private async connectIfAllowed(): Promise<void> {
    try {
      const answer = await fetch(this.address('/gallery'));
      if (answer.status === 403) {
        this.listeners.link('refused', 0);
        return;
      }
    } catch {
      this.lost(0);
      return;
    }
    this.connect();
  }
}
