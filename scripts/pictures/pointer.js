/* Added to the page that is recorded: a pointer that follows the mouse, and a line that says what happens. */
const layer = document.createElement('div');
const pointer = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
const shape = document.createElementNS('http://www.w3.org/2000/svg', 'path');
const ring = document.createElement('div');
const line = document.createElement('div');

layer.popover = 'manual';
layer.setAttribute('aria-hidden', 'true');
Object.assign(layer.style, {
  inset: '0',
  width: '100%',
  height: '100%',
  margin: '0',
  padding: '0',
  border: '0',
  background: 'transparent',
  overflow: 'hidden',
  pointerEvents: 'none',
});
Object.assign(pointer.style, { position: 'absolute', width: '20px', height: '26px' });
pointer.setAttribute('viewBox', '0 0 20 26');
shape.setAttribute('d', 'M2 1v19l4.6-4.2 3.1 7.4 3.3-1.4-3.1-7.2h6.3z');
shape.setAttribute('fill', '#111');
shape.setAttribute('stroke', '#fff');
shape.setAttribute('stroke-width', '1.5');
Object.assign(ring.style, {
  position: 'absolute',
  display: 'none',
  width: '34px',
  height: '34px',
  border: '3px solid #e4785a',
  borderRadius: '50%',
});
Object.assign(line.style, {
  position: 'absolute',
  left: '50%',
  bottom: '46px',
  translate: '-50%',
  padding: '9px 18px',
  borderRadius: '9px',
  background: '#1c2b2d',
  color: '#faf7f1',
  font: '600 16px system-ui, sans-serif',
  whiteSpace: 'nowrap',
});
pointer.append(shape);
layer.append(line, ring, pointer);

addEventListener('mousemove', ({ clientX, clientY }) => {
  Object.assign(pointer.style, { left: `${clientX - 2}px`, top: `${clientY - 1}px` });
  Object.assign(ring.style, { left: `${clientX - 17}px`, top: `${clientY - 17}px` });
});

/** Above a dialog, too: what is shown last is on top. */
globalThis.showPointer = (text, isPressed) => {
  line.textContent = text;
  ring.style.display = isPressed ? 'block' : 'none';
  if (!layer.isConnected) document.body.append(layer);
  if (layer.matches(':popover-open')) layer.hidePopover();
  layer.showPopover();
};
