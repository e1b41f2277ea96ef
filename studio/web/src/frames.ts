// Decoder of binary frames (studio/PROTOCOL.md). An invalid frame is rejected as a whole, so that a truncated message never shows half a body.

export const enum PartKind {
  Surface = 0,
  Particles = 1,
  Ghost = 2,
  Colors = 3,
  Placement = 4,
  Coarse = 6,
  Cloud = 7,
  CloudDistance = 8,
}

export interface Part {
  kind: number;
  index: number;
  count: number;
  // 3 values per point, 1 per point for colours and distances, 7 for a placement.
  values: Float32Array;
}

export interface Frame {
  step: number;
  time: number;
  parts: Part[];
}

const HEAD = 24;
const PART_HEAD = 12;

const enum Encoding {
  Float32 = 0,
  Quantised = 1,
  Scalar = 2,
  Float64 = 3,
  Placement = 4,
}

function dataSize(encoding: number, count: number): number {
  switch (encoding) {
    case Encoding.Float32:
      return 12 * count;
    case Encoding.Quantised:
      return 24 + ((6 * count + 3) & ~3);
    case Encoding.Scalar:
      return 4 * count;
    case Encoding.Float64:
      return 24 * count;
    case Encoding.Placement:
      return 28;
    default:
      throw new Error(`frame: unknown encoding ${encoding}`);
  }
}

function unpackQuantised(view: DataView, offset: number, count: number): Float32Array {
  const values = new Float32Array(3 * count);
  const corner = [0, 4, 8].map((i) => view.getFloat32(offset + i, true));
  const scale = [12, 16, 20].map((i) => view.getFloat32(offset + i, true) / 65535);
  const [cx = 0, cy = 0, cz = 0] = corner;
  const [sx = 0, sy = 0, sz = 0] = scale;
  let from = offset + 24;
  for (let i = 0; i < 3 * count; i += 3, from += 6) {
    values[i] = cx + sx * view.getUint16(from, true);
    values[i + 1] = cy + sy * view.getUint16(from + 2, true);
    values[i + 2] = cz + sz * view.getUint16(from + 4, true);
  }
  return values;
}

function unpack(view: DataView, offset: number, encoding: number, count: number): Float32Array {
  if (encoding === Encoding.Quantised) return unpackQuantised(view, offset, count);
  if (encoding === Encoding.Float64) {
    const values = new Float32Array(3 * count);
    for (let i = 0; i < values.length; ++i) values[i] = view.getFloat64(offset + 8 * i, true);
    return values;
  }
  const size = encoding === Encoding.Placement ? 7 : encoding === Encoding.Scalar ? count : 3 * count;
  // A view of the message without copying; it is used only until the next frame.
  const start = view.byteOffset + offset;
  return start % 4 === 0 ? new Float32Array(view.buffer, start, size) : new Float32Array(view.buffer.slice(start, start + 4 * size));
}

export function decodeFrame(data: ArrayBuffer): Frame {
  const view = new DataView(data);
  if (view.byteLength < HEAD || view.getUint32(0, true) !== 0x31464c50) throw new Error('frame: does not start with PLF1');
  const partCount = view.getUint32(4, true);
  const frame: Frame = { step: Number(view.getBigUint64(8, true)), time: view.getFloat64(16, true), parts: [] };
  let offset = HEAD;
  for (let i = 0; i < partCount; ++i) {
    if (offset + PART_HEAD > view.byteLength) throw new Error(`frame: part ${i} starts after the end`);
    const encoding = view.getUint16(offset + 4, true);
    const count = view.getUint32(offset + 8, true);
    const size = dataSize(encoding, count);
    if (offset + PART_HEAD + size > view.byteLength) throw new Error(`frame: part ${i} is truncated`);
    frame.parts.push({
      kind: view.getUint16(offset, true),
      index: view.getUint16(offset + 2, true),
      count,
      values: unpack(view, offset + PART_HEAD, encoding, count),
    });
    offset += PART_HEAD + ((size + 3) & ~3);
  }
  return frame;
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

export function indicesOf(text: string | undefined): Uint32Array<ArrayBuffer> {
  const bytes = bytesOf(text ?? '');
  return new Uint32Array(bytes.buffer, 0, bytes.length >> 2);
}

export function numbersOf(text: string | undefined): Float32Array<ArrayBuffer> {
  const bytes = bytesOf(text ?? '');
  return new Float32Array(bytes.buffer, 0, bytes.length >> 2);
}
