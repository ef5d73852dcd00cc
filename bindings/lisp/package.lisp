(defpackage :brisk
  (:use :common-lisp)
  (:export #:version
           ;; Walks
           #:list-files #:map-files #:with-walk
           #:entry #:entry-path #:entry-type #:entry-depth #:entry-inode
           #:entry-size #:entry-mtime #:entry-mode #:entry-link-target
           ;; Changes
           #:changed-files #:with-changed-files
           #:change #:change-kind #:change-path #:change-old-path #:change-type
           ;; Removing and copying
           #:delete-tree #:copy-files
           ;; Conditions and restarts
           #:brisk-error #:brisk-error-operation #:brisk-error-path #:brisk-error-errno
           #:skip #:stop
           ;; Paths
           #:path-pathname))
