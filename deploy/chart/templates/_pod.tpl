{{- /* What all containers have, and the spec of a pod around them. */ -}}
{{- define "shelf.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- /* Called with the key of the URL in the secret of PostgreSQL. */ -}}
{{- define "shelf.database" -}}
- name: SHELF_CONFIG
  value: /etc/shelf/config/shelf.json
{{- if eq .root.Values.engine "postgres" }}
- name: DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ .root.Values.postgres.secret }}
      key: {{ .key }}
- name: SHELF_DATABASE_WAIT
  value: 180s
{{- else }}
- name: DATABASE_URL
  value: sqlite:/data/shelf.db
{{- end }}
{{- end }}

{{- define "shelf.mounts" -}}
- name: config
  mountPath: /etc/shelf/config
  readOnly: true
- name: temporary
  mountPath: /tmp
{{- if eq .Values.engine "sqlite" }}
- name: data
  mountPath: /data
{{- else if .Values.postgres.caSecret }}
- name: database-ca
  mountPath: /etc/shelf/database
  readOnly: true
{{- end }}
{{- end }}

{{- define "shelf.volumes" -}}
- name: config
  configMap:
    name: {{ include "shelf.name" . }}
- name: temporary
  emptyDir:
    sizeLimit: {{ .Values.temporarySize }}
{{- if and (eq .Values.engine "postgres") .Values.postgres.caSecret }}
- name: database-ca
  secret:
    secretName: {{ .Values.postgres.caSecret }}
    items:
      - key: ca.crt
        path: ca.crt
{{- end }}
{{- end }}

{{- define "shelf.podContext" -}}
serviceAccountName: {{ include "shelf.name" . }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65534
  runAsGroup: 65534
  fsGroup: 65534
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "shelf.pod" -}}
metadata:
  labels:
    {{- include "shelf.labels" . | nindent 4 }}
  annotations:
    # A changed file takes effect at a start.
    checksum/config: {{ toJson .Values.config | sha256sum }}
spec:
  {{- include "shelf.podContext" . | nindent 2 }}
  # SHELF_DRAIN, the requests in flight (10 seconds), and a reserve.
  terminationGracePeriodSeconds: 45
  {{- if eq .Values.engine "postgres" }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "shelf.selector" . | nindent 10 }}
  initContainers:
    # Creates or changes the tables as their owner; the instances serve with fewer rights.
    - name: migrate
      image: {{ include "shelf.image" . }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args: [migrate]
      env:
        {{- include "shelf.database" (dict "root" . "key" "owner-url") | nindent 8 }}
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      securityContext:
        {{- include "shelf.securityContext" . | nindent 8 }}
      volumeMounts:
        {{- include "shelf.mounts" . | nindent 8 }}
  {{- end }}
  containers:
    - name: shelf
      image: {{ include "shelf.image" . }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      env:
        {{- include "shelf.database" (dict "root" . "key" "url") | nindent 8 }}
        - name: HOST
          value: 0.0.0.0
        - name: PORT
          value: "8000"
        - name: SHELF_AUTH
          value: {{ .Values.auth | quote }}
        # Longer than Kubernetes needs to send new connections elsewhere.
        - name: SHELF_DRAIN
          value: 15s
        {{- if .Values.serviceMonitor.enabled }}
        - name: SHELF_METRICS
          value: "on"
        {{- end }}
        {{- if .Values.tls.secret }}
        - name: SHELF_TLS_CERT
          value: /etc/shelf/tls/tls.crt
        - name: SHELF_TLS_KEY
          value: /etc/shelf/tls/tls.key
        {{- end }}
        {{- range $name, $value := .Values.env }}
        - name: {{ $name }}
          value: {{ $value | quote }}
        {{- end }}
      ports:
        - name: http
          containerPort: 8000
      # The process is alive; the database may take as long as it needs.
      livenessProbe:
        httpGet:
          path: /healthz
          port: http
          scheme: {{ ternary "HTTPS" "HTTP" (ne .Values.tls.secret "") }}
        periodSeconds: 10
        failureThreshold: 3
      # The database answers, and the process is not stopping.
      readinessProbe:
        httpGet:
          path: /readyz
          port: http
          scheme: {{ ternary "HTTPS" "HTTP" (ne .Values.tls.secret "") }}
        periodSeconds: 2
        timeoutSeconds: 6
        failureThreshold: 2
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      securityContext:
        {{- include "shelf.securityContext" . | nindent 8 }}
      volumeMounts:
        {{- include "shelf.mounts" . | nindent 8 }}
        {{- if .Values.tls.secret }}
        - name: tls
          mountPath: /etc/shelf/tls
          readOnly: true
        {{- end }}
  volumes:
    {{- include "shelf.volumes" . | nindent 4 }}
    {{- if .Values.tls.secret }}
    - name: tls
      secret:
        secretName: {{ .Values.tls.secret }}
    {{- end }}
{{- end }}
