;;;; libbrisk as brisk.h declares it.

(in-package :brisk)

(cffi:define-foreign-library libbrisk
  (:windows "brisk.dll")
  (:darwin "libbrisk.dylib")
  (t (:or "libbrisk.so.0" "libbrisk.so")))

(cffi:use-foreign-library libbrisk)

(cffi:defcstruct c-time
  (sec :int64)
  (nsec :uint32))

(cffi:defcstruct c-meta
  (size :size)
  (fields :uint32)
  (mode :uint32)
  (uid :uint32)
  (gid :uint32)
  (nlink :uint64)
  (ino :uint64)
  (file-size :uint64)
  (blocks :uint64)
  (dev :uint64)
  (rdev :uint64)
  (mnt-id :uint64)
  (atime (:struct c-time))
  (mtime (:struct c-time))
  (ctime (:struct c-time))
  (btime (:struct c-time))
  (link-target :pointer))

(cffi:defcstruct c-entry
  (name :pointer)
  (dir :pointer)
  (meta :pointer)
  (ino :uint64)
  (name-len :uint32)
  (dir-len :uint32)
  (depth :uint32)
  (type :char)
  (is-hidden :uint8)
  (is-followed-link :uint8))

(cffi:defcstruct walk-options
  (size :size)
  (cancel :pointer)
  (globs :pointer)
  (glob-count :size)
  (prune :pointer)
  (prune-count :size)
  (types :pointer)
  (fields :uint32)
  (order :uint32)
  (follow :uint32)
  (mounts :uint32)
  (ignore :uint32)
  (threads :uint32)
  (min-depth :size)
  (max-depth :size))

(cffi:defcstruct changed-options
  (size :size)
  (cancel :pointer)
  (data :pointer)
  (failed :pointer)
  (flags :uint32)
  (ignore :uint32))

(cffi:defcstruct c-change
  (size :size)
  (path :pointer)
  (old-path :pointer)
  (kind :char)
  (type :char))

(cffi:defcstruct remove-options
  (size :size)
  (cancel :pointer)
  (data :pointer)
  (failed :pointer)
  (flags :uint32)
  (threads :uint32))

(cffi:defcstruct c-removed
  (size :size)
  (files :uint64)
  (directories :uint64)
  (bytes :uint64)
  (failed :uint64))

(cffi:defcstruct copy-options
  (size :size)
  (walk :pointer)
  (data :pointer)
  (failed :pointer)
  (flags :uint32))

(cffi:defcstruct c-copied
  (size :size)
  (files :uint64)
  (directories :uint64)
  (bytes :uint64)
  (unchanged :uint64)
  (deleted :uint64)
  (failed :uint64))

(cffi:defcfun ("brisk_version" version) :string
  "The version of libbrisk.")

(cffi:defcfun ("brisk_error_operation" brisk-error-operation*) :string (error :pointer))
(cffi:defcfun ("brisk_error_path" brisk-error-path*) :pointer (error :pointer))
(cffi:defcfun ("brisk_error_errno" brisk-error-errno*) :int (error :pointer))
(cffi:defcfun ("brisk_error_text" brisk-error-text*) :string (error :pointer))
(cffi:defcfun "brisk_error_free" :void (error :pointer))

(cffi:defcfun "brisk_cancel_new" :pointer)
(cffi:defcfun "brisk_cancel_now" :void (cancel :pointer))
(cffi:defcfun "brisk_cancel_free" :void (cancel :pointer))

(cffi:defcfun "brisk_walk_start" :pointer
  (roots :pointer) (count :size) (options :pointer) (error :pointer))
(cffi:defcfun "brisk_walk_next" :size
  (walk :pointer) (entries :pointer) (count :size) (error :pointer))
(cffi:defcfun "brisk_walk_next_error" :pointer (walk :pointer))
(cffi:defcfun "brisk_walk_end" :void (walk :pointer))

(cffi:defcfun "brisk_changed" :pointer
  (state :pointer) (roots :pointer) (count :size) (options :pointer) (error :pointer))
(cffi:defcfun "brisk_changes_count" :size (changes :pointer))
(cffi:defcfun "brisk_changes_get" :int (changes :pointer) (index :size) (change :pointer))
(cffi:defcfun "brisk_changes_save" :int (changes :pointer) (error :pointer))
(cffi:defcfun "brisk_changes_free" :void (changes :pointer))

(cffi:defcfun "brisk_remove" :int
  (paths :pointer) (count :size) (options :pointer) (removed :pointer) (error :pointer))

(cffi:defcfun "brisk_copy" :int
  (source :pointer) (destination :pointer) (options :pointer) (copied :pointer) (error :pointer))

(defmacro with-structure ((name type) &body body)
  "Binds NAME to a structure of zeros that begins with its size."
  (let ((octet (gensym)))
    `(cffi:with-foreign-object (,name '(:struct ,type))
       (dotimes (,octet (cffi:foreign-type-size '(:struct ,type)))
         (setf (cffi:mem-aref ,name :uint8 ,octet) 0))
       (setf (cffi:foreign-slot-value ,name '(:struct ,type) 'size)
             (cffi:foreign-type-size '(:struct ,type)))
       ,@body)))

(defmacro set-slots (pointer type &rest slots-and-values)
  `(setf ,@(loop for (slot value) on slots-and-values by #'cddr
                 collect `(cffi:foreign-slot-value ,pointer '(:struct ,type) ',slot)
                 collect value)))
