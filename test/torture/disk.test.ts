import { shortForms } from './short.ts';

shortForms('disk');
