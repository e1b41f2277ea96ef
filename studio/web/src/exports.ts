// Save and export: the scene, files by the tool, a picture or a video of the view.
import type { Connection } from './connection';
import { choiceRow } from './controls';
import { changeIcon, element, iconButton } from './dom';
import type { DoneMessage } from './messages';
import type { Notices } from './notices';
import { section } from './panels/panel';
import type { Store } from './store';
import type { Viewport } from './viewport';

const FORMATS = {
  glb: 'GLB (animated mesh)',
  pc2: 'PC2 (Blender mesh cache)',
  vtu: 'VTU (ParaView)',
  obj: 'OBJ (frames)',
  csv: 'CSV (table)',
  png: 'PNG (rendered by the tool)',
  mp4: 'MP4 (video rendered by the tool)',
};

export function download(address: string, name: string): void {
  const link = element('a', { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
}

function downloadBlob(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  download(address, name);
  window.setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export class Exports {
  readonly section: HTMLElement;
  // Bytes of the current video recording.
  recorded = 0;
  private recorder: MediaRecorder | undefined;
  private readonly recording: HTMLButtonElement;
  private format: keyof typeof FORMATS = 'glb';

  constructor(
    private readonly store: Store,
    private readonly connection: Connection,
    private readonly viewport: Viewport,
    private readonly notices: Notices,
  ) {
    const format = choiceRow('Format', FORMATS, this.format, (choice) => void (this.format = choice));
    const frames = element('input', { type: 'number', min: 1, max: 100000, step: 1, 'aria-label': 'Number of frames', placeholder: 'all', class: 'number', inputmode: 'numeric' });
    const make = element('button', { type: 'button', class: 'button wide', 'data-action': 'export', onclick: () => void this.export(this.format, Number(frames.value) || undefined) }, 'Export');
    const picture = iconButton('camera', 'Save a picture of the view (PNG)', () => void this.picture(), 'Picture');
    this.recording = iconButton('record', 'Record a video of the view (WebM)', () => this.toggleRecording(), 'Video');
    const save = iconButton('save', 'Save the scene with its changes and examples', () => void this.save(), 'Save scene');
    save.classList.add('primary');
    this.section = section(
      'Save and export',
      false,
      element('div', { class: 'button-row' }, save, picture, this.recording),
      format.element,
      element('div', { class: 'choice-row' }, element('label', {}, 'Frames'), frames),
      make,
    );
    store.on('scene', (scene) => (frames.placeholder = `all ${scene.frames}`));
  }

  private get name(): string {
    return (this.store.scene?.name ?? 'scene').replace(/[^\w-]+/g, '-');
  }

  async save(): Promise<DoneMessage | undefined> {
    if (!this.store.scene) return undefined;
    try {
      const answer = await this.connection.request({ kind: 'save' });
      if (answer.file) download(this.connection.file(answer), `${this.name}.json`);
      this.notices.notify('The scene was saved.', 'good');
      return answer;
    } catch (error) {
      this.notices.notify(`The scene was not saved: ${(error as Error).message}`, 'bad');
      return undefined;
    }
  }

  async export(format: string, frames?: number): Promise<DoneMessage | undefined> {
    const bar = this.notices.progress(`Exporting ${format.toUpperCase()}`);
    try {
      const answer = await this.connection.request(frames ? { kind: 'export', format, frames } : { kind: 'export', format }, (done, text) => bar.update(done, text));
      if (answer.file) download(this.connection.file(answer), String(answer.name ?? `${this.name}.${format}`));
      this.notices.notify(`${format.toUpperCase()} is ready.`, 'good');
      return answer;
    } catch (error) {
      this.notices.notify(`The export failed: ${(error as Error).message}`, 'bad');
      return undefined;
    } finally {
      bar.end();
    }
  }

  async picture(): Promise<void> {
    try {
      downloadBlob(await this.viewport.picture(), `${this.name}.png`);
    } catch (error) {
      this.notices.notify((error as Error).message, 'bad');
    }
  }

  toggleRecording(): void {
    if (this.recorder) {
      this.recorder.stop();
      return;
    }
    const kind = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm'].find((type) => typeof MediaRecorder !== 'undefined' && MediaRecorder.isTypeSupported(type));
    if (!kind) {
      this.notices.notify('This browser cannot record video. Export an MP4 instead.', 'bad');
      return;
    }
    const chunks: Blob[] = [];
    const recorder = new MediaRecorder(this.viewport.canvas.captureStream(60), { mimeType: kind, videoBitsPerSecond: 12_000_000 });
    this.recorded = 0;
    recorder.ondataavailable = (event) => {
      if (event.data.size > 0) chunks.push(event.data);
      this.recorded += event.data.size;
    };
    recorder.onstop = () => {
      this.recorder = undefined;
      this.recording.classList.remove('recording');
      changeIcon(this.recording, 'record', 'Record a video of the view (WebM)');
      downloadBlob(new Blob(chunks, { type: 'video/webm' }), `${this.name}.webm`);
    };
    recorder.start(250);
    this.recorder = recorder;
    this.recording.classList.add('recording');
    changeIcon(this.recording, 'pause', 'Stop recording');
    this.notices.notify('Recording the view. Press the button again to stop.');
  }
}
